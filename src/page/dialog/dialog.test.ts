import { expect, test } from "vitest";
import { createAskInPage } from "./dialog.ts";
import type { Dialog } from "./dialog.ts";

const { signal } = new AbortController();
const answer = { action: "accept", content: { goal: 7 } };

function prepare() {
  const asked: unknown[] = [];
  const dialog: Dialog = {
    async askUser(...question) {
      asked.push(question);
      return answer;
    },
    approve: () => Promise.reject(new Error("Nobody asked for that.")),
  };
  return { asked, askInPage: createAskInPage(async () => dialog) };
}

test("a question with a form is asked in the page, and its answer is the answer", async () => {
  const { asked, askInPage } = prepare();
  const question = { message: "Which goal?", mode: "form" };
  expect(await askInPage("elicitation/create", question, signal)).toBe(answer);
  expect(asked).toEqual([[question, signal]]);
});

test.each([
  ["sampling/createMessage", {}],
  ["roots/list", {}],
  ["elicitation/create", { mode: "url" }],
] as const)("what no form can ask (%s) is refused, and nobody is asked", async (method, parameters) => {
  const { asked, askInPage } = prepare();
  await expect(askInPage(method, parameters, signal)).rejects.toMatchObject({ code: "ask-unsupported" });
  expect(asked).toEqual([]);
});
