// Calls that share a response with others, are cancelled among others, or were silent for long.
import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import {
  accept,
  asking,
  beginRound,
  form,
  letPass,
  round,
  saidIn,
  work,
} from "./test-support/mcp-rounds.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

for (const gone of [0, 1]) {
  test(`of two requests that take up the same call, number ${gone + 1} may hang up: the other one is answered`, async () => {
    const hub = await startHub({ limits: { cutTime: 0, progressTime: 20 } });
    const page = await connectMcpPage(hub);
    const asked = round(hub);
    const call = await page.nextCall();
    const answer = call.ask("elicitation/create", form("Who?"), "who");
    const first = await asked;
    const responses = { who: accept("Ann") };
    const rounds = [beginRound(hub, first, { responses })];
    expect(await answer).toEqual(accept("Ann"));
    rounds.push(beginRound(hub, first, { responses }));
    await letPass(hub);
    rounds[gone]?.hangUp();
    await letPass(hub);
    call.say("done");
    const { messages } = (await rounds[1 - gone]?.whole()) ?? {};
    expect(messages?.at(-1)?.result).toMatchObject({ content: [{ text: "done" }] });
  });
}

test("when both disconnect and neither returns, the call is cancelled", async () => {
  const hub = await startHub({ limits: { cutTime: 0 } });
  const page = await connectMcpPage(hub);
  const asked = round(hub);
  const call = await page.nextCall();
  const answer = call.ask("elicitation/create", form("Who?"), "who");
  const first = await asked;
  const rounds = [1, 2].map(() => beginRound(hub, first, { responses: { who: accept("Ann") } }));
  await answer;
  await letPass(hub);
  for (const one of rounds) one.hangUp();
  expect(await call.cancelled).toBe("The caller went away and did not come back.");
});

test("M26: after a round that was given again to its key, the next one goes to the tab that asked as well", async () => {
  const hub = await startHub();
  const one = await connectMcpPage(hub, { tab: "1", handle: asking({ requestState: "of one" }) });
  const two = await connectMcpPage(hub, { tab: "2", handle: asking({ requestState: "of two" }) });
  const keyed = { ...work, idempotencyKey: "key" };
  one.send({ type: "tab", focused: true });
  await one.settled();
  await round(hub, undefined, { params: keyed });
  const again = await round(hub, undefined, { params: keyed });
  expect(again.result).toMatchObject({ resultType: "input_required" });
  two.send({ type: "tab", focused: true });
  await two.settled();
  expect(saidIn(await round(hub, again))).toMatchObject({ requestState: "of one" });
  expect(two.calls).toEqual([]);
});

test("M20: a cancellation in a batch works like one that comes alone", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const session = await openSession(hub, { version: "2025-03-26" });
  const running = session.request("tools/call", { name: "work", arguments: {} }, 5);
  const call = await page.nextCall();
  const cancelled = { method: "notifications/cancelled", params: { requestId: 5, reason: "Enough." } };
  const ping = { jsonrpc: "2.0", id: 6, method: "ping" };
  await session.send([ping, { jsonrpc: "2.0", ...cancelled }]).whole();
  expect(await call.cancelled).toBe("Enough.");
  await running.whole();
});

test("the first keep-alive comes no later than for a client that also gets logs", async () => {
  const hub = await startHub({ limits: { progressTime: 250 } });
  const page = await connectMcpPage(hub);
  const signs: string[] = [];
  const follow = async (progressToken: string, meta: object) => {
    const call = sendRaw(
      hub,
      modern("tools/call", { name: "work", arguments: {} }, { meta: { progressToken, ...meta } }),
    );
    await page.nextCall();
    return async () => {
      for (let heard = 0; heard < 2; heard++) signs.push(String((await call.next())?.params?.["progressToken"]));
    };
  };
  const followed = [
    await follow("of logs", { "io.modelcontextprotocol/logLevel": "error" }),
    await follow("plain", {}),
  ];
  await Promise.all(followed.map((hear) => hear()));
  expect(signs.slice(0, 2).toSorted()).toEqual(["of logs", "plain"]);
});
