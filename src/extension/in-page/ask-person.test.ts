import { expect, test } from "vitest";
import type { FromPage } from "../messages.ts";
import { askedMost } from "../port/parse-messages.ts";
import { createAskPerson } from "./ask-person.ts";

const question = { kind: "fields", parameters: { message: "Which size?" } } as const;
const { signal: never } = new AbortController();

function createAsking() {
  const sent: FromPage[] = [];
  let last = 0;
  return {
    sent,
    person: createAskPerson(
      (message) => sent.push(message),
      () => `${++last}`,
    ),
  };
}

test("an answer is that of its question, and a question that waits is repeated to a new port", async () => {
  const { sent, person } = createAsking();
  const [first, second] = [person.ask(question, never), person.ask(question, never)];
  person.answered("2", { action: "refuse" });
  person.answered("9", { action: "refuse" });
  expect(await second).toEqual({ action: "refuse" });
  person.repeat();
  expect(sent.slice(2)).toEqual([
    { type: "asking", asks: ["1"] },
    { type: "ask", ask: "1", question },
  ]);
  person.answered("1", { action: "allow", lasts: "once" });
  expect(await first).toEqual({ action: "allow", lasts: "once" });
  person.repeat();
  expect(sent.slice(4)).toEqual([{ type: "asking", asks: [] }]);
});

test("a question whose call ends is over, and the reason is the call's", async () => {
  const { sent, person } = createAsking();
  const cancelling = new AbortController();
  const asked = person.ask(question, cancelling.signal);
  cancelling.abort(new Error("cancelled"));
  await expect(asked).rejects.toThrow("cancelled");
  expect(sent.at(-1)).toEqual({ type: "ask-over", ask: "1" });
  expect(() => person.ask(question, cancelling.signal)).toThrow("cancelled");
});

test("a person is asked at most ten things at once, and nothing that is too long to be read", () => {
  const { person } = createAsking();
  const long = { kind: "fields", parameters: { message: "x".repeat(askedMost) } } as const;
  expect(() => person.ask(long, never)).toThrow("too long");
  for (let count = 0; count < 10; count++) void person.ask(question, never);
  expect(() => person.ask(question, never)).toThrow("wait already");
});
