import { expect, test } from "vitest";
import { assistantWords } from "./assistant-words.ts";

const origin = "http://127.0.0.1:7338";
const wordsOf = (connection: "disconnected" | "connecting" | "connected" | "reconnecting", reason?: string) =>
  assistantWords({ connection, reason, place: undefined }, origin);

test("each state of the assistant has words of its own", () => {
  expect(wordsOf("disconnected")).toEqual({ status: "Assistant not open" });
  expect(wordsOf("connecting")).toEqual({ status: "Opening the assistant" });
  expect(wordsOf("connected")).toEqual({ status: "Assistant connected" });
  expect(wordsOf("reconnecting", "not-responding")).toEqual({
    status: "Reconnecting. The assistant does not answer",
  });
});

test.each(["closed-by-user", "navigated-away", "not-responding", "replaced"])(
  "why the assistant is gone (%s) is in the status",
  (reason) => expect(wordsOf("disconnected", reason).status).not.toBe("Assistant not open"),
);

test("a window that was blocked or cut off comes with what to do, and may be in the page instead", () => {
  expect(wordsOf("disconnected", "popup-blocked")).toMatchObject({
    advice: expect.stringContaining("Allow pop-ups"),
    helpsHere: true,
  });
  expect(wordsOf("disconnected", "cut-off").helpsHere).toBe(true);
});

test("an assistant that does not answer may want its user to sign in", () => {
  expect(wordsOf("disconnected", "not-responding").advice).toContain("sign in");
});

test("a page that the hub refuses says what allows it", () => {
  const { advice, helpsHere } = wordsOf("disconnected", "origin-refused");
  expect(advice).toContain(`npx pagewire allow ${origin}`);
  expect(helpsHere).toBeUndefined();
});
