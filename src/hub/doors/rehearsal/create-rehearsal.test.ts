import { expect, test } from "vitest";
import { createRehearsal } from "./create-rehearsal.ts";
import type { Question } from "./create-answerer.ts";
import { startModel } from "./rehearsal.test-helper.ts";

const question: Question = {
  method: "POST",
  path: "/openai/v1/chat/completions",
  isAnywhere: false,
  query: "",
  headers: {},
  body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "hello" }] }),
  at: 0,
};

/** A thread that works for ever once it is asked something. */
const stuck = new URL(
  `data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { for (;;); });`,
);

test("work that does not end holds up nobody but the rehearsal, and is ended", async () => {
  const failures: string[] = [];
  const onError = (error: unknown) => failures.push(String(error));
  const rehearsal = startModel({ thread: stuck, patience: 200, onError });
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  const replies = await Promise.all([rehearsal.answer(question), rehearsal.answer(question)]);
  clearInterval(count);
  expect(replies.map(({ status }) => status)).toEqual([500, 500]);
  expect(failures[0]).toContain("did not go on, and was ended");
  // This thread had its turns meanwhile.
  expect(turns).toBeGreaterThan(1);
  expect((await rehearsal.answer(question)).status).toBe(500);
});

test("a thread that fails refuses what it was asked, and the next question has another", async () => {
  const failing = new URL(`data:text/javascript,throw new Error("It cannot start.");`);
  const failures: string[] = [];
  const rehearsal = startModel({ thread: failing, onError: (error) => failures.push(String(error)) });
  for (let time = 0; time < 2; time++) expect((await rehearsal.answer(question)).status).toBe(500);
  expect(failures.filter((one) => one.includes("It cannot start."))).toHaveLength(2);
});

test("who asks while the hub is closed, or is waiting then, is told that it is stopping", async () => {
  const rehearsal = createRehearsal({ share: 1000, thread: stuck });
  const waiting = rehearsal.answer(question);
  await rehearsal.close();
  await rehearsal.close();
  expect([(await waiting).status, (await rehearsal.answer(question)).status]).toEqual([503, 503]);
});
