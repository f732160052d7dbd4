import { beforeEach, expect, test } from "vitest";
import { cutOff } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { AskHandler } from "./hub-client.ts";
import { createScriptedHub } from "./scripted-hub.test-helper.ts";
import type { ScriptedHub } from "./scripted-hub.test-helper.ts";

let hub: ScriptedHub;

beforeEach(() => {
  hub = createScriptedHub();
});

const elicit = "elicitation/create";
const idOfCall = () => hub.end.heard("call").at(-1)?.id ?? "";
async function ask(payload = '{"message":"Sure?"}', method: AskMethod = elicit): Promise<void> {
  await hub.clock.advance(0);
  await hub.end.say({ type: "ask", id: idOfCall(), ask: "q1", method }, payload);
  await hub.clock.advance(0);
}
const answers = () => hub.end.heard("answer");

test("a page's question reaches its handler, and the answer goes back to the page", async () => {
  const asked: unknown[] = [];
  const onAsk = {
    [elicit]: async (parameters: JsonObject, { name }: { readonly name: string }) => {
      asked.push([name, parameters]);
      return { action: "accept", content: { sure: true } };
    },
  };
  const client = await hub.connect({ onAsk });
  void client.call({ name: "delete_all" });
  await ask();
  expect(asked).toEqual([["delete_all", { message: "Sure?" }]]);
  expect(answers()).toEqual([
    { type: "answer", id: idOfCall(), ask: "q1", payload: '{"action":"accept","content":{"sure":true}}' },
  ]);
});

test("a question without a handler is answered with that error", async () => {
  const client = await hub.connect({ onAsk: { [elicit]: async () => ({}) } });
  void client.call({ name: "t" });
  await ask("{}", "sampling/createMessage");
  expect(answers()).toMatchObject([{ ask: "q1", code: "ask-unsupported" }]);
});

test.each<[string, AskHandler, string]>([
  ["throws", () => Promise.reject(new Error("No terminal.")), "No terminal."],
  ["gives no object", async () => "yes" as never, "The caller's answer is not a JSON object."],
])("a handler that %s is a failed question, and the call goes on", async (...[, handler, message]) => {
  const client = await hub.connect({ onAsk: { [elicit]: handler } });
  const outcome = client.call({ name: "t" });
  await ask();
  expect(answers()).toMatchObject([{ code: "ask-failed", message }]);
  await hub.end.say({ type: "result", id: idOfCall() }, "{}");
  expect((await outcome).outcome).toBe("ok");
});

test("an invalid question reaches no handler", async () => {
  const client = await hub.connect({ onAsk: { [elicit]: () => Promise.reject(new Error("It was.")) } });
  void client.call({ name: "t" });
  await ask("not JSON");
  expect(answers()).toMatchObject([{ code: "ask-failed", message: "The question is not a JSON object." }]);
});

test("a question that is repeated after a lost connection reaches its handler once, and the newest one is answered", async () => {
  let count = 0;
  let give: (answer: JsonObject) => void = () => {};
  const handler = () => {
    count++;
    return new Promise<JsonObject>((resolve) => (give = resolve));
  };
  const client = await hub.connect({ onAsk: { [elicit]: handler } });
  void client.call({ name: "t", key: "k" });
  await ask();
  await hub.end.close(cutOff);
  await hub.takeBack();
  await ask();
  give({ action: "decline" });
  await hub.clock.advance(0);
  expect([count, answers().at(-1)?.payload]).toEqual([1, '{"action":"decline"}']);
  await ask();
  expect([count, answers().at(-1)?.payload]).toEqual([1, '{"action":"decline"}']);
});

test("when the call ends the handler is aborted, and its answer is dropped", async () => {
  let ended: AbortSignal | undefined;
  let give: (answer: JsonObject) => void = () => {};
  const handler: AskHandler = (_, { signal }) => {
    ended = signal;
    return new Promise((resolve) => (give = resolve));
  };
  const client = await hub.connect({ onAsk: { [elicit]: handler } });
  const outcome = client.call({ name: "t" });
  await ask();
  expect(ended?.aborted).toBe(false);
  await hub.end.say({ type: "result", id: idOfCall() }, "{}");
  await outcome;
  expect(ended?.aborted).toBe(true);
  give({});
  await hub.clock.advance(0);
  expect(answers()).toEqual([]);
});
