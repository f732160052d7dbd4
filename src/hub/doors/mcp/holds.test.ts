import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import {
  accept,
  ask,
  beginRound,
  form,
  letPass,
  round,
  saidIn,
  staleState,
  waiting,
} from "./test-support/mcp-rounds.test-helper.ts";

test("M28: a call whose question waits goes on when its client comes with the answer", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: waiting });
  const first = await round(hub);
  expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: { who: ask("Who?") } });
  expect(saidIn(await round(hub, first, { responses: { who: accept("Ann") } }))).toEqual(accept("Ann"));
  expect(page.calls).toHaveLength(1);
});

test("M28: while an answer is missing its question is put again; answers to nothing are passed over", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: waiting });
  let last = await round(hub);
  for (const responses of [undefined, {}, { other: accept("Bob") }]) {
    last = await round(hub, last, responses === undefined ? {} : { responses });
    expect(last.result).toMatchObject({ resultType: "input_required", inputRequests: { who: ask("Who?") } });
  }
  expect(saidIn(await round(hub, last, { responses: { who: accept("Ann"), other: accept("Bob") } }))).toEqual(
    accept("Ann"),
  );
  expect(page.calls).toHaveLength(1);
});

test("a round that was cut off and sent again takes up the same call", async () => {
  const hub = await startHub({ limits: { cutTime: 60_000 } });
  const page = await connectMcpPage(hub, {
    async handle(call) {
      await call.ask("elicitation/create", form("Who?"), "who");
      call.progress(1);
    },
  });
  const first = await round(hub);
  const cut = beginRound(hub, first, { responses: { who: accept("Ann") }, meta: { progressToken: 1 } });
  expect(await cut.next()).toMatchObject({ method: "notifications/progress" });
  cut.hangUp();
  const again = beginRound(hub, first, { responses: { who: accept("Bob") } });
  await letPass(hub);
  page.calls[0]?.say("done");
  expect((await again.whole()).messages.at(-1)?.result).toMatchObject({ content: [{ text: "done" }] });
  expect(page.calls).toHaveLength(1);
  expect(
    page.received.filter(({ frame }) => frame.type === "answer").map(({ payload }) => JSON.parse(payload) as unknown),
  ).toEqual([accept("Ann")]);
});

test("it does so too when the cut is noticed after it came", async () => {
  const hub = await startHub({ limits: { cutTime: 1 } });
  const page = await connectMcpPage(hub, {
    async handle(call) {
      await call.ask("elicitation/create", form("Who?"), "who");
      call.progress(1);
    },
  });
  const first = await round(hub);
  const cut = beginRound(hub, first, { responses: { who: accept("Ann") }, meta: { progressToken: 1 } });
  await cut.next();
  const again = beginRound(hub, first, { responses: { who: accept("Ann") } });
  await letPass(hub);
  cut.hangUp();
  await letPass(hub);
  page.calls[0]?.say("done");
  expect((await again.whole()).messages.at(-1)?.result).toMatchObject({ content: [{ text: "done" }] });
});

test("a client that missed the answer is given it when it sends its round again", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: waiting });
  const first = await round(hub);
  for (let turn = 0; turn < 2; turn++)
    expect(saidIn(await round(hub, first, { responses: { who: accept("Ann") } }))).toEqual(accept("Ann"));
  expect(page.calls).toHaveLength(1);
});

test("a call whose round was disconnected is cancelled if its client does not return", async () => {
  const hub = await startHub({ limits: { cutTime: 10 } });
  const page = await connectMcpPage(hub, {
    async handle(call) {
      await call.ask("elicitation/create", form("Who?"), "who");
      call.progress(1);
    },
  });
  const first = await round(hub);
  const cut = beginRound(hub, first, { responses: { who: accept("Ann") }, meta: { progressToken: 1 } });
  await cut.next();
  cut.hangUp();
  expect(await page.calls[0]?.cancelled).toBe("The caller went away and did not come back.");
});

test("a call whose client never comes with an answer ends when its time is up", async () => {
  const hub = await startHub({ limits: { callTimeMost: 2000 } });
  const page = await connectMcpPage(hub, { handle: waiting });
  const first = await round(hub);
  expect(first.result).toMatchObject({ resultType: "input_required" });
  expect(await page.calls[0]?.cancelled).toBe("The tool did not answer in time.");
  await letPass(hub);
  expect((await round(hub, first, { responses: { who: accept("Ann") } })).error).toMatchObject(staleState);
});

test("if the page goes away while its question waits, the client that brings the answer gets the error", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub, { handle: waiting });
  const first = await round(hub);
  page.leave();
  await page.settled();
  expect((await round(hub, first, { responses: { who: accept("Ann") } })).result).toMatchObject({
    isError: true,
    _meta: { "pagewire/outcome": "outcome-unknown", "pagewire/ran": "maybe" },
  });
});
