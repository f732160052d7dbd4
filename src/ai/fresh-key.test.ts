import { expect, test } from "vitest";
import { createConversation } from "./model.test-helper.ts";
import { AiCore } from "./index.ts";
import type { AiRequestOptions } from "./index.ts";

type GetApiKey = NonNullable<AiRequestOptions["getApiKey"]>;

const refused = (status: number) => new Response("No.", { status });

/** Gives these keys one after the other, the last one again and again. */
function keysOf(...keys: string[]) {
  const asked: unknown[] = [];
  const getApiKey: GetApiKey = async (key) => {
    asked.push(key);
    return (keys.length > 1 ? keys.shift() : keys[0]) as string;
  };
  return { asked, getApiKey };
}

test("each request has the key of then, those of tool rounds too", async () => {
  const { asked, getApiKey } = keysOf("one", "two", "three");
  const parameters = { type: "object", properties: {} };
  const tools = [{ name: "brew", description: "", parameters, handler: () => "done" }];
  const { model, send } = createConversation({ getApiKey, tools });
  const answer = send();
  const first = await model.next();
  first.finish({ toolCallDeltas: [{ index: 0, id: "c1", name: "brew", arguments: "{}" }], finishReason: "tool_use" });
  const second = await model.next();
  second.finish({ delta: "Tea.", finishReason: "stop" });
  expect(await answer).toBe("Tea.");
  expect([first.body["apiKey"], second.body["apiKey"], asked]).toEqual(["one", "two", [undefined, undefined]]);
});

test.each([401, 403])(
  "where a key is refused with %i, the request is sent again with another one, once",
  async (status) => {
    const { asked, getApiKey } = keysOf("old", "new", "newer");
    const { core, model, send } = createConversation({ getApiKey });
    const answer = send();
    (await model.next()).respond(refused(status));
    const again = await model.next();
    expect(again.body["apiKey"]).toBe("new");
    again.respond(refused(status));
    expect(await answer).toBeNull();
    expect(core.error).toMatchObject({ status });
    expect([model.requests.length, asked]).toEqual([2, [undefined, "old"]]);
  },
);

test("a refused key that is the only one is refused, and other failures ask for no other", async () => {
  const { asked, getApiKey } = keysOf("only");
  const { core, model, send } = createConversation({ getApiKey });
  for (const status of [401, 404]) {
    const answer = send();
    (await model.next()).respond(refused(status));
    expect(await answer).toBeNull();
    expect(core.error).toMatchObject({ status });
  }
  expect([model.requests.length, asked]).toEqual([2, [undefined, "only", undefined]]);
});

test("without a key nothing is sent, and the error says why", async () => {
  const broken: readonly [unknown, string][] = [
    [() => Promise.reject(new Error("no login")), "no login"],
    [() => "", "getApiKey returned an empty text: it must return a key, or throw with the reason."],
    [() => 7, "getApiKey returned number: it must return a key, or throw with the reason."],
    [() => undefined, "getApiKey returned undefined: it must return a key, or throw with the reason."],
    [() => null, "getApiKey returned null: it must return a key, or throw with the reason."],
    ["key", "getApiKey must be a function, got key."],
  ];
  for (const [getApiKey, words] of broken) {
    const { core, model, send } = createConversation({ getApiKey: getApiKey as GetApiKey });
    expect(await send()).toBeNull();
    expect(core.error).toMatchObject({ message: words });
    expect(model.requests).toEqual([]);
  }
});

test("a send that is stopped while its key is asked for ends at once", async () => {
  let give: (key: string) => void = () => {};
  const asked = new Promise<void>((resolve) => {
    give = () => resolve();
  });
  const getApiKey = () => {
    give("");
    return new Promise<string>(() => {});
  };
  const { core, model, send } = createConversation({ getApiKey });
  const answer = send();
  await asked;
  core.abort();
  expect([await answer, core.error, model.requests.length]).toEqual([null, null, 0]);
});

test("a key that is given comes first, and lists of models ask for theirs as well", async () => {
  const { asked, getApiKey } = keysOf("old", "new");
  const { model, send } = createConversation({ getApiKey, apiKey: "fixed" });
  const answer = send();
  const request = await model.next();
  expect(request.body["apiKey"]).toBe("fixed");
  request.finish({ delta: "Hi.", finishReason: "stop" });
  await answer;
  expect(asked).toEqual([]);
  const core = new AiCore();
  core.provider = "openai";
  const sent: unknown[] = [];
  const ask: typeof fetch = async (_url, init) => {
    const Authorization = new Headers(init?.headers).get("Authorization");
    sent.push(Authorization);
    return Authorization === "Bearer old" ? refused(401) : Response.json({ data: [{ id: "m" }] });
  };
  expect(await core.models({ getApiKey, fetch: ask })).toEqual([{ id: "m", name: "m" }]);
  expect([sent, asked]).toEqual([
    ["Bearer old", "Bearer new"],
    [undefined, "old"],
  ]);
});

test("a token of Vertex that has ended is renewed", async () => {
  const sent: string[] = [];
  const core = new AiCore();
  core.provider = "vertex";
  const answer = await core.send("Hi", {
    model: "gemini-2.5-flash",
    baseUrl: "https://aiplatform.googleapis.com/v1/projects/shop/locations/global",
    stream: false,
    getApiKey: (ended) => (ended ? "ya29.new" : "ya29.old"),
    async fetch(_url, init) {
      const Authorization = new Headers(init?.headers).get("Authorization") ?? "";
      sent.push(Authorization);
      if (Authorization === "Bearer ya29.old") return refused(401);
      return Response.json({ candidates: [{ content: { parts: [{ text: "Hello." }] }, finishReason: "STOP" }] });
    },
  });
  expect([answer, sent]).toEqual(["Hello.", ["Bearer ya29.old", "Bearer ya29.new"]]);
});
