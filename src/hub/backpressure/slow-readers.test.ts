import { connect } from "node:net";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import type { TestAgent } from "../test-support/agent.test-helper.ts";
import { heldBytes } from "../test-support/held-bytes.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, openChannels } from "../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../test-support/page.test-helper.ts";

const megabyte = 1024 * 1024;
const large = JSON.stringify("x".repeat(megabyte));
const answerLarge = ({ id, arguments: given }: GivenCall, page: TestPage) => {
  page.ack(id);
  page.result(id, given === "{}" ? '"small"' : large);
};

async function startLarge(): Promise<{ readonly hub: TestHub; readonly page: TestPage }> {
  const hub = await startHub({ limits: { queuedBytes: 8 * megabyte } });
  return { hub, page: await connectPage(hub.url, { handle: answerLarge }) };
}

interface Flood {
  readonly page: TestPage;
  readonly deaf: readonly TestAgent[];
  /** The number of peers that are still connected. */
  readonly connected: number;
  readonly round: number;
}

/**
 * Lets each agent make one call, and the page answer them one after the other: if it sent all answers at once, too much
 * would be queued on its link, and it would close it.
 */
async function floodOnce({ page, deaf, connected, round }: Flood): Promise<void> {
  for (const agent of deaf) void agent.call("work", { id: `${round}` }).catch(() => undefined);
  const ids: string[] = [];
  while (ids.length < connected) {
    const { id } = await page.nextCall();
    page.ack(id);
    ids.push(id);
  }
  for (const id of ids) {
    page.result(id, large);
    await page.settled();
  }
}

test("an agent that reads nothing of a flood of results is cut off, memory stays bounded, and others are answered", async () => {
  const { hub, page } = await startLarge();
  const deaf = await connectAgent(hub.url, { token: hub.token, name: "deaf" });
  const other = await connectAgent(hub.url, { token: hub.token, name: "other" });
  const before = heldBytes();
  let most = 0;
  deaf.socket.pause();
  const results = 60;
  for (let count = 0; count < results; count++) {
    void deaf.call("work", { id: `${count}`, arguments: '{"large":true}' }).catch(() => undefined);
    const end = await other.call("work", { id: `${count}` });
    expect(end.payload).toBe('"small"');
    // It collects garbage: that takes longer than all the rest.
    if (count % 10 === 9) most = Math.max(most, heldBytes() - before);
  }
  await page.settled();
  expect(await hub.metric("pagewire_agents")).toBe(1);
  expect(most).toBeLessThan(40 * megabyte);
  deaf.socket.resume();
  expect((await deaf.closed).code).toBe(1006);
  expect(deaf.received.length).toBeLessThan(results);
  recordFault("hub", {
    fault: "An agent that reads nothing while 60 MB of results come for it",
    expected: "cut off at queuedBytes, memory bounded, others answered",
    observed: "cut off at queuedBytes, memory bounded, others answered",
    count: results,
  });
});

test("however many agents read nothing, what waits for all of them is bounded, and one that reads is answered", async () => {
  const limits = { queuedBytes: 8 * megabyte, queuedBytesInAll: 16 * megabyte };
  const hub = await startHub({ limits });
  const page = await connectPage(hub.url, { handle: byHand });
  const deaf = await Promise.all(
    Array.from({ length: 24 }, (_, at) => connectAgent(hub.url, { token: hub.token, name: `deaf-${at}` })),
  );
  const other = await connectAgent(hub.url, { token: hub.token, name: "other" });
  const before = heldBytes();
  let most = 0;
  for (const { socket } of deaf) socket.pause();
  // At first the operating system's buffers hold all: how much fits into them depends on the machine.
  const cuts = () => hub.metric('pagewire_over_budget_total{budget="queuedBytesInAll"}');
  for (let round = 0; (await cuts()) === 0; round++) {
    await floodOnce({ page, deaf, connected: deaf.length, round });
    const end = other.call("work", { id: `${round}` });
    page.result((await page.nextCall()).id, '"small"');
    expect((await end).payload).toBe('"small"');
    most = Math.max(most, heldBytes() - before);
  }
  // Each of them is below its own limit: 192 MB if there were no other limit.
  expect(most).toBeLessThan(72 * megabyte);
  expect(other.link.open).toBe(true);
  expect(await hub.metric("pagewire_agents")).toBeLessThan(25);
});

test("agents of one principal that read nothing cost another principal's agent no result, however large", async () => {
  const secret = "s".repeat(40);
  const hub = await startHub({ jwt: { secret }, limits: { queuedBytesInAll: 40 * megabyte } });
  const comeAs = async (subject: string, handle: typeof answerLarge) => ({
    page: await connectPage(hub.url, { token: await signPageToken({ secret, subject }), handle }),
    token: await signAgentToken({ secret, subject }),
  });
  const largest = JSON.stringify("x".repeat(15 * megabyte));
  const ada = await comeAs("ada", ({ id }, page) => {
    page.ack(id);
    page.result(id, largest);
  });
  const reader = await connectAgent(hub.url, { token: ada.token });
  reader.socket.pause();
  const result = reader.call("work", { id: "1" });
  const eve = await comeAs("eve", byHand);
  const deaf = await Promise.all(Array.from({ length: 12 }, () => connectAgent(hub.url, { token: eve.token })));
  for (const { socket } of deaf) socket.pause();
  for (let round = 0; (await hub.metric("pagewire_agents", ada.token)) === deaf.length + 1; round++) {
    await floodOnce({ page: eve.page, deaf, connected: deaf.length, round });
  }
  reader.socket.resume();
  expect((await result).payload).toBe(largest);
  for (const { socket } of deaf) socket.resume();
  expect((await Promise.race(deaf.map(({ closed }) => closed))).code).toBe(1006);
});

test("the unread bytes of one principal's clients are limited over all doors, and the hub counts the disconnected ones", async () => {
  const hub = await startHub({ limits: { queuedBytesPerPrincipal: 12 * megabyte } });
  const page = await connectPage(hub.url, { handle: byHand });
  const before = heldBytes();
  const largest = JSON.stringify("x".repeat(11 * megabyte));
  const callers = Array.from({ length: 6 }, () => connect(hub.port, "127.0.0.1").pause());
  for (const caller of callers) {
    caller.on("error", () => {});
    caller.write(largeCall(hub));
    page.result((await page.nextCall()).id, largest);
    await page.settled();
  }
  expect(heldBytes() - before).toBeLessThan(40 * megabyte);
  expect(await hub.metric('pagewire_over_budget_total{budget="queuedBytesPerPrincipal"}')).toBeGreaterThan(3);
  const end = callTool(hub, "work");
  page.result((await page.nextCall()).id, '"small"');
  expect((await end).status).toBe(200);
  for (const caller of callers) caller.destroy();
});

test("readers of one principal that read late are each given what is too much for all of them at once", async () => {
  const hub = await startHub({ limits: { queuedBytesPerPrincipal: 16 * megabyte } });
  const page = await connectPage(hub.url, { handle: byHand });
  await connectPage(hub.url, { tab: "other", tools: ["other"] });
  const largest = JSON.stringify("x".repeat(15 * megabyte));
  const readers = [];
  for (const name of ["one", "two", "three"]) {
    const reader = await connectAgent(hub.url, { token: hub.token, name });
    reader.socket.pause();
    readers.push({ reader, result: reader.call("work", { id: "1" }) });
    page.result((await page.nextCall()).id, largest);
  }
  // The hub has time to read all of them, if it wants to.
  for (let count = 0; count < 50; count++) expect((await callTool(hub, "other")).status).toBe(200);
  for (const { reader } of readers) reader.socket.resume();
  for (const { result } of readers) expect((await result).payload).toBe(largest);
  expect(await hub.metric('pagewire_over_budget_total{budget="queuedBytesPerPrincipal"}')).toBe(0);
});

test("an agent that reads nothing of the calls that it watches is cut off", async () => {
  const hub = await startHub({ limits: { queuedBytes: 1000 } });
  await connectPage(hub.url);
  const deaf = await connectAgent(hub.url, { token: hub.token });
  const other = await connectAgent(hub.url, { token: hub.token });
  deaf.send({ type: "watch", on: true });
  await deaf.settled();
  deaf.socket.pause();
  while ((await hub.metric("pagewire_agents")) === 2) {
    const calls = Array.from({ length: 200 }, (_, index) => other.call("work", { id: `${index}` }));
    await Promise.all(calls);
  }
  deaf.socket.resume();
  expect((await deaf.closed).code).toBe(1006);
});

test("a page that does not read its calls is disconnected, and its callers get an error", async () => {
  const hub = await startHub({ limits: { queuedBytes: 4 * megabyte, graceTime: 100 } });
  const deaf = await connectPage(hub.url, { tab: "deaf", tools: ["deaf"] });
  await connectPage(hub.url, { tab: "other", tools: ["other"] });
  deaf.socket.pause();
  const body = JSON.stringify("x".repeat(megabyte));
  const ends = await Promise.all(Array.from({ length: 24 }, () => callTool(hub, "deaf", { body })));
  for (const { text } of ends) {
    expect(JSON.parse(text)).toMatchObject({
      outcome: expect.stringMatching(/^(outcome-unknown|page-gone|rejected)$/),
    });
  }
  expect((await callTool(hub, "other")).status).toBe(200);
  deaf.socket.resume();
  expect((await deaf.closed).code).toBe(1006);
});

test("a caller by HTTP that does not read its answer is cut off after `requestTime`, and others are answered", async () => {
  // In this time the hub must also have read each request.
  const hub = await startHub({ limits: { requestTime: 2000 } });
  const page = await connectPage(hub.url, { handle: byHand });
  // More than fits into the operating system's buffers.
  const result = JSON.stringify("x".repeat(15 * megabyte));
  const callers: { readonly caller: Socket; readonly closed: Promise<unknown> }[] = [];
  while (callers.length < 4) {
    const caller = connect(hub.port, "127.0.0.1").pause();
    callers.push({ caller, closed: new Promise((resolve) => caller.on("close", resolve)) });
    caller.on("error", () => {});
    caller.write(largeCall(hub));
    page.result((await page.nextCall()).id, result);
    await page.settled();
  }
  const other = callTool(hub, "work");
  page.result((await page.nextCall()).id, '"small"');
  expect((await other).status).toBe(200);
  // A stopping hub only waits for clients that still read.
  await hub.drain();
  for (const { caller, closed } of callers) {
    let read = 0;
    caller.on("data", (chunk: Buffer) => (read += chunk.length)).resume();
    await closed;
    expect(read).toBeLessThan(15 * megabyte);
  }
});

function largeCall(hub: TestHub): string {
  const lines = ["POST /api/call/work HTTP/1.1", `Host: 127.0.0.1:${hub.port}`, `Authorization: Bearer ${hub.token}`];
  const body = '{"large":true}';
  return [...lines, "Content-Type: application/json", `Content-Length: ${body.length}`, "", body].join("\r\n");
}

/** Two pages on channels of one shared socket, and one page with its own socket. */
async function openNeighbours(hub: TestHub) {
  const open = await openChannels(hub.url);
  return {
    flooded: await open({ tab: "flooded", tools: ["flooded"] }).greet(),
    beside: await open({ tab: "beside", tools: ["beside"] }).greet(),
    other: await connectPage(hub.url, { tab: "other", tools: ["other"] }),
  };
}

const body = JSON.stringify("x".repeat(megabyte));

test("a page that does not read what comes on its channel is cut off by name, and its neighbours on the socket notice nothing", async () => {
  const hub = await startHub({ limits: { queuedBytes: 4 * megabyte, graceTime: 50 } });
  const { flooded, beside, other } = await openNeighbours(hub);
  flooded.socket.pause();
  const ends = await Promise.all(Array.from({ length: 24 }, () => callTool(hub, "flooded", { body })));
  for (const { text } of ends) {
    expect(JSON.parse(text)).toMatchObject({
      outcome: expect.stringMatching(/^(outcome-unknown|page-gone|rejected)$/),
    });
  }
  expect((await callTool(hub, "other")).status).toBe(200);
  const waiting = callTool(hub, "beside");
  flooded.socket.resume();
  expect((await waiting).status).toBe(200);
  expect(await flooded.closeName()).toBe("too-slow");
  expect([flooded.received.length < 24, beside.link.open, other.link.open]).toEqual([true, true, true]);
});

test("a socket with channels whose peer reads nothing holds no more than `sharedBytes`", async () => {
  const mostOfSocket = {
    queuedBytes: 4 * megabyte,
    sharedBytes: 16 * megabyte,
    queuedBytesPerPrincipal: 64 * megabyte,
  };
  const hub = await startHub({ limits: { ...mostOfSocket, graceTime: 50 } });
  const open = await openChannels(hub.url);
  const before = heldBytes();
  let most = 0;
  const pages = await Promise.all(
    Array.from({ length: 12 }, (_, index) => open({ tab: `${index}`, tools: [`tool-${index}`] }).greet()),
  );
  pages[0]?.socket.pause();
  for (const index of pages.keys()) {
    // The first has the system's buffers to fill, too.
    const count = index === 0 ? 24 : 8;
    await Promise.all(Array.from({ length: count }, () => callTool(hub, `tool-${index}`, { body })));
    // The hub lets go of a call at the end of the turn in which it was answered.
    await nextTurn();
    most = Math.max(most, heldBytes() - before);
  }
  expect(most).toBeLessThan(24 * megabyte);
  pages[0]?.socket.resume();
  for (const page of pages) expect(await page.closeName()).toBe("too-slow");
});
