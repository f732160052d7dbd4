import { expect, test } from "vitest";
import { PagewireError } from "pagewire/wire";
import { errorText, outcomeOf } from "./outcome-of.ts";
import type { OutcomeNeeds } from "./outcome-of.ts";

const info = { version: "1", mode: "local", principal: "local", parentOrigins: [], demo: null } as const;
const model = { provider: "openai", models: ["m"], isRehearsal: false };
const idle = { isBusy: false, isWaiting: false, problem: undefined, failed: undefined };

function outcome(changes: Partial<OutcomeNeeds> = {}) {
  return outcomeOf({
    agent: { error: null, connection: "open" },
    outbox: idle,
    parent: { kind: "none" },
    session: { info: { ...info, model } },
    lastRole: "assistant",
    ...changes,
  });
}

test("a failure has a text: the error's own, or the API's message and when to retry", () => {
  const body = JSON.stringify({ error: { message: "Too fast." } });
  const http = { status: 429, statusText: "Too Many Requests", body, retryAfter: 20 };
  expect(errorText(http)).toBe(
    "The model's API answered 429 Too Many Requests: Too fast. It can be tried again in 20 s.",
  );
  expect(errorText({ status: 500, statusText: "", body: "<html>" })).toBe("The model's API answered 500: <html>");
  expect(errorText(new Error("cut off"))).toBe("cut off");
  const cause = new Error("The connection was lost: The session is closed.");
  const lost = new PagewireError("hub-unreachable", `<ai-agent>: connection lost: ws://x (${cause.message})`, {
    cause,
  });
  expect(errorText(lost)).toBe("The hub could not be asked. The connection was lost: The session is closed.");
});

test("what has no answer can be asked for again, and what goes on is not called a failure", () => {
  const error = new Error("cut off");
  expect(outcome()).toBeUndefined();
  expect(outcome({ agent: { error, connection: "open" } })).toEqual({
    text: "cut off",
    isFailure: true,
    canTryAgain: true,
  });
  expect(outcome({ agent: { error, connection: "open" }, lastRole: undefined })).toMatchObject({ canTryAgain: false });
  expect(outcome({ lastRole: "tool" })).toMatchObject({ isFailure: false, canTryAgain: true });
  expect(outcome({ agent: { error, connection: "waiting" } })).toBeUndefined();
  const failed = { ...idle, failed: { text: "Hello", images: [] } };
  expect(outcome({ agent: { error, connection: "waiting" }, outbox: failed })).toMatchObject({ canTryAgain: true });
  expect(outcome({ outbox: { ...idle, isBusy: true }, lastRole: "user" })).toBeUndefined();
});

test("where the assistant has no tools of the user's tabs, it says whether the switch is off or no page is connected", () => {
  const tool = { name: "read", description: "", parameters: {} };
  const tabs = { isOn: true, label: "May use", prepare() {}, onChange: () => () => {} };
  expect(outcome({ tabs: { ...tabs, tools: [tool] } })).toBeUndefined();
  expect(outcome({ tabs: { ...tabs, tools: undefined } })).toBeUndefined();
  const calm = { isFailure: false, canTryAgain: false };
  expect(outcome({ tabs: { ...tabs, tools: [tool], isOn: false } })).toEqual({
    ...calm,
    text: "The assistant has no tools, because “May use” is off. Switch it on at Connected.",
  });
  for (const isOn of [true, false])
    expect(outcome({ tabs: { ...tabs, tools: [], isOn } })).toEqual({
      ...calm,
      text: "No connected page offers a tool, so the assistant has none. Open the demo, or connect a page: Connected shows how.",
    });
  expect(outcome({ tabs: { ...tabs, tools: [] }, lastRole: undefined })).toBeUndefined();
});

test("a hub without a model says so, and what to do about it", () => {
  const plain = { isFailure: true, canTryAgain: false, text: expect.stringContaining("This hub has no model") };
  expect(outcome({ session: { info: { ...info, model: null } } })).toEqual(plain);
  const error = new Error("<ai-agent>: the server refused: ws://x (The connection was lost: This hub has no model.)");
  expect(outcome({ agent: { error, connection: "closed" } })).toEqual(plain);
});
