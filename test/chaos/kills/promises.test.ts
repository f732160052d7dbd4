import { expect, test } from "vitest";
import { wrongDecisions } from "./decider.ts";
import { createPromises } from "./promises.ts";
import { answerTo } from "./scripted-model.ts";
import { missingTurn } from "./talker.ts";

const session = "s";
const question = { role: "user", content: "one" };
const answer = { role: "assistant", content: answerTo("one") };

test("a question is promised once the model received it, an answer once it arrived", () => {
  const promises = createPromises();
  promises.asking("one", session);
  expect(promises.conversations().get(session)).toBeUndefined();
  promises.lookAtAll();
  promises.asked("one");
  expect(promises.conversations().get(session)).toMatchObject([{ text: "one", isAnswered: false }]);
  expect(promises.conversations().size).toBe(0);
  promises.answered("one");
  promises.lookAtAll();
  expect(promises.conversations().get(session)).toMatchObject([{ text: "one", isAnswered: true }]);
});

test("a missing question and a missing answer are found", () => {
  const turn = { text: "one", session };
  expect(missingTurn([question], { ...turn, isAnswered: false })).toEqual([]);
  expect(missingTurn([question, answer], { ...turn, isAnswered: true })).toEqual([]);
  expect(missingTurn([], { ...turn, isAnswered: false })).toEqual([expect.stringContaining('question "one" is not')]);
  expect(missingTurn([question], { ...turn, isAnswered: true })).toEqual([
    expect.stringContaining('answer to "one" is not'),
  ]);
});

test("a decision that differs from the acknowledged one is found; a pending one may hold or not", () => {
  const promises = createPromises();
  const wrong = (...approved: readonly boolean[]) =>
    wrongDecisions(
      approved.map((one) => ({ tool: "pay", approved: one })),
      promises.decisions(),
    ).length;
  promises.deciding("pay", true);
  expect([wrong(), wrong(true), wrong(false)]).toEqual([0, 0, 1]);
  promises.decided("pay");
  expect([wrong(), wrong(true)]).toEqual([1, 0]);
  promises.deciding("pay", undefined);
  expect([wrong(), wrong(true)]).toEqual([0, 0]);
  promises.decided("pay");
  expect([wrong(), wrong(true)]).toEqual([0, 1]);
});
