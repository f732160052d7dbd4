import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import { errorText, outcomeOf } from "./outcome-of.ts";
import type { OutcomeNeeds } from "./outcome-of.ts";

const info = {
  version: "1",
  mode: "local",
  principal: "local",
  parentOrigins: [],
  demo: null,
  terminals: false,
} as const;
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

test("a failure has a text: the error's own, or the API's message and when to retry, or what the hub says", () => {
  const body = JSON.stringify({ error: { message: "Too fast." } });
  const http = { status: 429, statusText: "Too Many Requests", body, retryAfter: 20 };
  expect(errorText(http)).toBe(
    "The model's API answered 429 Too Many Requests: Too fast. It can be tried again in 20 s.",
  );
  const answered = (status: number, text: string) => errorText({ status, statusText: "", body: text });
  expect(answered(500, "out of memory")).toBe("The model's API answered 500: out of memory");
  expect(answered(500, "<html>")).toBe("The model's API answered 500");
  expect(answered(500, '{"trace":[1,2]}')).toBe("The model's API answered 500");
  expect(answered(400, '[{"error":{"message":"No such field"}}]')).toBe("The model's API answered 400: No such field");
  expect(answered(401, '{"error":{"message":"Incorrect API key."}}')).toBe(
    "The model's API answered 401: Incorrect API key. Check the API key, and that it may use this model.",
  );
  expect(answered(404, "")).toBe("The model's API answered 404. Check the model's name and the base URL.");
  const quota = JSON.stringify({ error: { message: "Today's 100 tokens are used up.", type: "pagewire" } });
  expect(errorText({ ...http, body: quota, retryAfter: 50_000 })).toBe("Today's 100 tokens are used up.");
  expect(errorText(new TypeError("Failed to fetch"))).toMatch(/^The model's API could not be reached. Check/);
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

test("where the assistant has no tools of the user's tabs, it says why after an answer", () => {
  const tabs = { isOn: true, tools: [], whyNone: "No page is chosen.", prepare() {}, onChange: () => () => {} };
  expect(outcome({ tabs })).toEqual({ isFailure: false, canTryAgain: false, text: tabs.whyNone });
  expect(outcome({ tabs: { ...tabs, whyNone: undefined } })).toBeUndefined();
  expect(outcome({ tabs, lastRole: undefined })).toBeUndefined();
});

test("a hub without a model says so, and what to do about it", () => {
  const plain = { isFailure: true, canTryAgain: false, text: expect.stringContaining("This hub has no model") };
  expect(outcome({ session: { info: { ...info, model: null } } })).toEqual(plain);
  const error = new Error("<ai-agent>: the server refused: ws://x (The connection was lost: This hub has no model.)");
  expect(outcome({ agent: { error, connection: "closed" } })).toEqual(plain);
});
