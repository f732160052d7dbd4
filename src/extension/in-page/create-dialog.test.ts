import { expect, test } from "vitest";
import type { PersonAnswer, PersonQuestion } from "../messages.ts";
import { createDialog } from "./create-dialog.ts";
import { createGuardedCalls } from "./guard-calls.ts";

const request = {
  ...{ callId: "1", tool: "buy", description: "Buys.", agent: { name: "claude" } },
  ...{ arguments: { item: "tea" }, reason: "The hub's policy wants it." },
};

/** A person who answers by `answers`, or thinks until the question is over. */
function createAsking(answers: PersonAnswer[] = []) {
  const questions: PersonQuestion[] = [];
  const person = {
    ask(question: PersonQuestion, signal: AbortSignal) {
      questions.push(question);
      const answer = answers.shift();
      if (answer) return Promise.resolve(answer);
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  };
  const calls = createGuardedCalls(() => "ask", person);
  return { calls, questions, dialog: createDialog(person, calls) };
}

const never = () => new AbortController().signal;

test("the hub's question is asked with the call's own words, and its answer counts for this call", async () => {
  const { dialog, questions } = createAsking([{ action: "allow", lasts: "document" }, { action: "refuse" }]);
  expect(await dialog.approve(request, never())).toEqual({ approved: true, scope: "once" });
  expect(await dialog.approve(request, never())).toEqual({ approved: false, scope: "once" });
  expect(questions[0]).toEqual({
    ...{ kind: "call", tool: "buy", title: undefined, description: "Buys.", destructive: false },
    ...{ agent: "claude", arguments: { item: "tea" } },
  });
});

test("the hub's question ends as a refusal where the person stops its call, and where the call ends", async () => {
  const { calls, dialog } = createAsking();
  const asked = dialog.approve(request, never());
  calls.stop("another");
  calls.stop("1");
  expect(await asked).toEqual({ approved: false, scope: "once" });
  const ending = new AbortController();
  const over = dialog.approve({ ...request, callId: "2" }, ending.signal);
  ending.abort();
  expect(await over).toEqual({ approved: false, scope: "once" });
});
