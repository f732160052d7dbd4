import { expect, test } from "vitest";
import { callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import { byHand, connectPage } from "../../test-support/page.test-helper.ts";
import { answerWait, askInPage, onlyWait, ownersKey, shellKey, startAskingHub } from "./waits.test-helper.ts";

const inputSchema = { type: "object" } as const;

test("IN1: a large question is cut in lists, and whole at its own address", async () => {
  const hub = await startAskingHub();
  const page = await connectPage(hub.url, { tools: ["greet"], handle: byHand });
  const ended = callTool(hub, "greet");
  const { id } = await page.nextCall();
  page.ack(id);
  const long = "x".repeat(20_001);
  const parameters = { message: long, requestedSchema: { type: "object", title: long } };
  askInPage(page, { id, ask: "1", parameters });
  const { id: wait, message, schema, isCut } = await onlyWait(hub);
  expect([String(message).length, schema, isCut]).toEqual([20_000, undefined, true]);
  const { body } = await askOwn(hub, `GET /api/waits/${wait}`, { token: shellKey, origin: undefined });
  expect(body).toMatchObject({ message: long, schema: parameters.requestedSchema });
  page.result(id, "{}");
  await ended;
});

test("IN3, IN11: of two answers about a changed tool one counts, and one that changes back waits again", async () => {
  const hub = await startHub({ shell: ownersKey, pin: true });
  const tool = (description: string) => ({ name: "work", description, inputSchema });
  const page = await connectPage(hub.url, { tools: [tool("First.")] });
  await expect.poll(async () => (await callTool(hub, "work")).status).toBe(200);
  for (const description of ["Second.", "First.", "Second."]) {
    page.send({ type: "offer" }, JSON.stringify({ tools: [tool(description)] }));
    await page.settled();
    const wait = await onlyWait(hub);
    const answers = await Promise.all(["allow", "allow"].map((answer) => answerWait(hub, wait, answer)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await callTool(hub, "work")).status).toBe(200);
  }
});
