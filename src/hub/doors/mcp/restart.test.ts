import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import type { HubDoor } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange, RawSession } from "./test-support/raw-mcp.test-helper.ts";

const done = JSON.parse(plainResult) as object;
const work = { name: "work", arguments: {} };
const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });

/** The same call in both eras, answered at once or by a stream. */
function beginCalls(hub: HubDoor, session: RawSession, id = 1): readonly RawExchange[] {
  const withProgress = { ...work, _meta: { progressToken: "t" } };
  return [
    sendRaw(hub, modern("tools/call", work)),
    sendRaw(hub, modern("tools/call", work, { meta: { progressToken: "t" } })),
    session.request("tools/call", work, id),
    session.request("tools/call", withProgress, id + 1),
  ];
}

/** Acks calls and sends something about each. */
async function takeCalls(page: TestPage, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let taken = 0; taken < count; taken++) {
    const { id } = await page.nextCall();
    page.ack(id);
    page.send({ type: "progress", id, progress: 1 });
    ids.push(id);
  }
  await page.settled();
  return ids;
}

test("while a hub drains, calls that run end as they would, and new ones are refused in each client's words", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub);
  const older = await connectOlderClient(hub);
  const newer = await Promise.all(revisions.map((revision) => connectClient(hub, { revision })));
  const running = beginCalls(hub, session);
  const ids = await takeCalls(page, running.length);
  const drained = hub.drain();
  for (const client of [older, ...newer]) {
    expect(await client.callTool(work)).toMatchObject({
      isError: true,
      content: [{ text: "The hub is stopping. Try again in a moment." }],
      _meta: {
        "pagewire/outcome": "rejected",
        "pagewire/ran": "no",
        "pagewire/code": "going-away",
        "pagewire/retryAfter": 1000,
      },
    });
    expect((await client.listTools()).tools).toHaveLength(4);
  }
  const refused = [...beginCalls(hub, session, 3), session.request("prompts/get", { name: "none" }, 9)];
  for (const { messages } of await Promise.all(refused.map((sent) => sent.whole()))) {
    expect(JSON.stringify(messages)).toMatch(/going-away/);
  }
  for (const id of ids) page.result(id, plainResult);
  for (const sent of running) expect((await sent.whole()).messages.at(-1)).toMatchObject({ result: done });
  await drained;
  expect(page.calls).toHaveLength(running.length);
  recordFault("mcp", {
    fault: "The hub drains while calls of both eras run, and others come",
    expected: "those finish, these are refused as safe to try again",
    observed: "those finish, these are refused as safe to try again",
    count: running.length + refused.length + 3,
  });
});

test("a client that was asked before the hub drains still brings its answer, and is given its result", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const capabilities = { elicitation: {} };
  const sent = sendRaw(hub, modern("tools/call", work, { capabilities }));
  const { id } = await page.nextCall();
  page.ack(id);
  page.send({ type: "ask", id, ask: "a", method: "elicitation/create" }, '{"message":"?","requestedSchema":{}}');
  const [asked] = (await sent.whole()).messages;
  const drained = hub.drain();
  const params = {
    ...work,
    requestState: asked?.result?.["requestState"],
    inputResponses: { a: { action: "accept" } },
  };
  const again = sendRaw(hub, modern("tools/call", params, { capabilities }));
  await page.next("answer");
  page.result(id, plainResult);
  expect((await again.whole()).messages).toMatchObject([{ result: done }]);
  await drained;
});

test("while a hub drains, a call that repeats another by its key joins it or is given its outcome", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub);
  const keyed = { ...work, idempotencyKey: "once" };
  const call = (id: number) => [sendRaw(hub, modern("tools/call", keyed)), session.request("tools/call", keyed, id)];
  const first = session.request("tools/call", keyed);
  const { id } = await page.nextCall();
  page.ack(id);
  // Keeps the hub draining after the repeated call has ended.
  const other = session.request("tools/call", work, 2);
  const { id: otherId } = await page.nextCall();
  page.ack(otherId);
  await page.settled();
  const drained = hub.drain();
  const joined = call(3);
  const refused = session.request("tools/call", { ...work, idempotencyKey: "other" }, 5);
  expect((await refused.whole()).text).toMatch(/going-away/);
  await page.settled();
  page.result(id, plainResult);
  const answers = await Promise.all([first, ...joined].map((sent) => sent.whole()));
  const replayed = await Promise.all(call(6).map((sent) => sent.whole()));
  for (const { messages } of [...answers, ...replayed]) expect(messages).toMatchObject([{ result: done }]);
  page.result(otherId, plainResult);
  await other.whole();
  await drained;
  expect(page.calls).toHaveLength(2);
});

test.each(["drain", "close"] as const)(
  "clients whose calls a hub that stops by %s does not wait for are told that the outcome is not known",
  async (stop) => {
    const hub = await startHub({ limits: { drainTime: 100 } });
    const page = await connectPage(hub.url, { handle: byHand });
    const session = await openSession(hub);
    const running = beginCalls(hub, session);
    await takeCalls(page, running.length);
    const ends = Promise.all(running.map((sent) => sent.whole()));
    await hub[stop]();
    for (const { messages } of await ends) {
      expect(messages.at(-1)).toMatchObject({
        result: { isError: true, _meta: { "pagewire/outcome": "outcome-unknown", "pagewire/ran": "maybe" } },
      });
    }
    recordFault("mcp", {
      fault: `The hub stops by ${stop} while calls of both eras run, and does not wait for them`,
      expected: "outcome-unknown, ran: maybe",
      observed: "outcome-unknown, ran: maybe",
      count: running.length,
    });
  },
);

/** The experience of clients of both eras when another hub replaces theirs. */
async function expectToGoOn(hub: HubDoor, session: RawSession): Promise<void> {
  const page = await connectPage(hub.url);
  // A stateless client just continues.
  expect((await sendRaw(hub, modern("tools/call", work)).whole()).messages).toMatchObject([{ result: done }]);
  // A client with a session must start a new one.
  for (const lost of [
    session.request("tools/call", work),
    session.listen(),
    session.listen({ "Last-Event-ID": "a.1.1" }),
  ]) {
    expect((await lost.whole()).status).toBe(404);
  }
  const anew = await openSession(hub);
  expect((await anew.request("tools/call", work).whole()).messages).toMatchObject([{ result: done }]);
  expect(page.calls).toHaveLength(2);
}

test("M117: after a restart clients without a session go on, and clients with one begin a new one", async () => {
  const first: TestHub = await startHub();
  const session = await openSession(first);
  const older = await connectOlderClient(first);
  const newer = await Promise.all(revisions.map((revision) => connectClient(first, { revision })));
  await first.close();
  for (const client of [older, ...newer]) await expect(client.listTools()).rejects.toThrow();

  const second = await startHub({ port: first.port });
  await expectToGoOn(second, session);
  const [withSession, alone] = newer;
  for (const client of [older, withSession])
    await expect(client?.callTool(work)).rejects.toThrow(/404|Session not found/);
  expect(await alone?.callTool(work)).toMatchObject(done);
  expect(await (await connectOlderClient(second)).callTool(work)).toMatchObject(done);
});

interface HubProcess extends HubDoor {
  readonly port: number;
  readonly process: ChildProcess;
}

async function spawnHub(port = 0): Promise<HubProcess> {
  // At the same depth as src/hub, because the hub finds its package relative to its own path.
  const outfile = fileURLToPath(new URL("../../../../.cache/programs/restart.test-program.mjs", import.meta.url));
  const entryPoints = [fileURLToPath(new URL("test-support/restart.test-program.ts", import.meta.url))];
  if (port === 0)
    await build({ entryPoints, outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
  const child = spawn(process.execPath, [outfile, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`The hub ended with ${String(code)}.`)));
  failed.catch(() => undefined);
  const [said] = (await Promise.race([once(child.stdout, "data"), failed])) as [Buffer];
  return { port: Number(said), url: `http://127.0.0.1:${Number(said)}`, token: "token", process: child };
}

test("M117: when the hub is killed no call ends as if it had been answered, and its clients go on with the next hub", async () => {
  let hub = await spawnHub();
  for (let round = 0; round < 3; round++) {
    const page = await connectPage(hub.url, { handle: byHand });
    const session = await openSession(hub);
    const news = [session.listen(), sendRaw(hub, listen)];
    await Promise.all(news.map(({ request }) => once(request, "response")));
    const running = beginCalls(hub, session);
    await takeCalls(page, running.length);
    const ends = Promise.allSettled([...running, ...news].map((sent) => sent.whole()));
    hub.process.kill("SIGKILL");
    for (const { status } of await ends) expect(status).toBe("rejected");
    await page.closed;
    hub = await spawnHub(hub.port);
    await expectToGoOn(hub, session);
  }
  recordFault("mcp", {
    fault: "The hub is killed under calls and streams of both eras, and another one takes its port",
    expected: "every connection breaks, none looks answered; clients go on or begin a new session",
    observed: "every connection breaks, none looks answered; clients go on or begin a new session",
    count: 3,
  });
});

test("a hub that is asked to stop exits by itself, whatever its MCP clients left behind", async () => {
  const hub = await spawnHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub, { capabilities: { elicitation: {} } });
  const streams = [session.listen(), sendRaw(hub, listen)];
  await Promise.all(streams.map(({ request }) => once(request, "response")));
  const asking = sendRaw(hub, modern("tools/call", work, { capabilities: { elicitation: {} } }));
  const { id } = await page.nextCall();
  page.ack(id);
  page.send({ type: "ask", id, ask: "a", method: "elicitation/create" }, '{"message":"?","requestedSchema":{}}');
  await asking.whole();
  page.result(id, plainResult);
  await page.settled();
  await openSession(hub);
  const ended = once(hub.process, "exit");
  hub.process.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await Promise.all(streams.map((stream) => stream.whole()));
});
