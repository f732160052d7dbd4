// Sessions of several hubs behind a load balancer that sends each request to the next.
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { HubDoor } from "../../test-support/http.test-helper.ts";
import { connectClient, connectOlderClient } from "./test-support/mcp-client.test-helper.ts";
import { startMcpHubs } from "./test-support/mcp-hubs.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import { ask, asking, form, round, saidIn, staleState, waiting } from "./test-support/mcp-rounds.test-helper.ts";
import { openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawSession } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };
const accept = (name: string) => ({ action: "accept" as const, content: { name } });
const plain = { content: [{ type: "text", text: "done" }] };

test("MH100: clients of every line of the SDK work through hubs that take turns", async () => {
  const { hubs, front } = await startMcpHubs();
  const page = await connectMcpPage(hubs[1], {
    async handle(call) {
      call.progress(1, { message: "begun" });
      call.log("info", "said");
      const answer = await call.ask("elicitation/create", form("Who?"));
      call.result({ content: [{ type: "text", text: JSON.stringify(answer) }] });
    },
  });
  const capabilities = { elicitation: {} };
  const newer = await connectClient(front, { revision: "2025-11-25", capabilities });
  newer.setRequestHandler("elicitation/create", () => accept("Ann"));
  const newest = await connectClient(front, { revision: "2026-07-28", capabilities });
  newest.setRequestHandler("elicitation/create", () => accept("Ann"));
  const older = await connectOlderClient(front, capabilities);
  older.setRequestHandler(ElicitRequestSchema, () => accept("Ann"));
  for (const client of [newer, newest, older]) {
    let heard = 0;
    const onprogress = ({ message }: { message?: string | undefined }) => void (message === "begun" && heard++);
    for (let count = 0; count < 4; count++) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("work");
      const result = await (client === older
        ? older.callTool(work, undefined, { onprogress })
        : (client as typeof newer).callTool(work, { onprogress }));
      expect(result.content).toEqual([{ type: "text", text: JSON.stringify(accept("Ann")) }]);
    }
    expect(heard).toBe(4);
  }
  expect(page.calls.length).toBe(12);
});

test("MH101: a session goes on at another hub when its own is gone, with its words, its subscriptions and its level", async () => {
  const { hubs, front } = await startMcpHubs();
  const offer = { tools: [toolOf("work")], resources: [{ uri: "note:///1", name: "one" }] };
  const page = await connectMcpPage(hubs[2], { offer });
  const session = await openSession(hubs[0], { capabilities: { elicitation: {} } });
  await session.request("resources/subscribe", { uri: "note:///1" }).whole();
  await session.request("logging/setLevel", { level: "error" }).whole();
  await hubs[0].close();
  const send = (body: object) => sendRaw(front, { headers: session.headers, body: { jsonrpc: "2.0", ...body } });
  expect((await send({ id: 1, method: "ping" }).whole()).messages).toEqual([{ jsonrpc: "2.0", result: {}, id: 1 }]);
  const stream = sendRaw(front, { method: "GET", headers: session.headers });
  const said = [await stream.next(), await stream.next(), await stream.next(), await stream.next()];
  expect(said.map((message) => message?.method)).toEqual([
    ...["tools", "prompts", "resources"].map((list) => `notifications/${list}/list_changed`),
    "notifications/resources/updated",
  ]);
  page.updated("note:///1");
  expect(await stream.next()).toMatchObject({ params: { uri: "note:///1" } });
  const sent = send({ id: 2, method: "tools/call", params: work });
  const call = await page.nextCall();
  expect(call.asks).toEqual(["elicitation/create"]);
  call.log("info", "too low");
  call.log("error", "high enough");
  call.result(plain);
  const { messages } = await sent.whole();
  expect(messages).toMatchObject([{ params: { level: "error" } }, { result: plain }]);
});

const unknown = { isError: true, _meta: { "pagewire/outcome": "outcome-unknown", "pagewire/ran": "maybe" } };

test("MH101: of hubs that get requests at one time one takes the session over", async () => {
  const { hubs, front } = await startMcpHubs();
  const session = await openSession(hubs[0]);
  await hubs[0].close();
  const ping = (id: number) =>
    sendRaw(front, { headers: session.headers, body: { jsonrpc: "2.0", id, method: "ping" } }).whole();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => ping(id)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await front.metric("pagewire_agents")).toBe(1);
  expect((await sendRaw(front, { method: "DELETE", headers: session.headers }).whole()).status).toBe(200);
  expect((await ping(1)).status).toBe(404);
});

test("MH101: a session of a hub that is gone is nobody else's", async () => {
  const { hubs, front } = await startMcpHubs();
  const page = await connectMcpPage(hubs[1]);
  const session = await openSession(hubs[0]);
  await hubs[0].close();
  const { id } = session;
  const attempts = [
    { path: `/mcp/tabs/${page.tabId}`, headers: session.headers },
    { path: "/mcp", headers: { ...session.headers, "Mcp-Session-Id": `${id}0` } },
    { path: "/mcp", headers: { ...session.headers, "Mcp-Session-Id": id.slice(23) } },
  ];
  for (const attempt of attempts) {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: work };
    expect((await sendRaw(front, { ...attempt, body }).whole()).status).toBe(404);
  }
  expect(page.calls).toEqual([]);
});

test("MH102: streams of a hub that is gone end at once with what is known", async () => {
  const { hubs, front, store } = await startMcpHubs();
  const page = await connectMcpPage(hubs[1]);
  const session = await openSession(hubs[0]);
  const begin = async (id: number, key?: string) => {
    const sent = session.request("tools/call", { ...work, ...(key !== undefined && { idempotencyKey: key }) }, id);
    const call = await page.nextCall();
    call.log("info", "begun");
    const [event] = [await sent.nextEvent(), await sent.nextEvent()];
    return { call, sent, event: event?.id ?? "" };
  };
  const lost = await begin(1);
  lost.sent.hangUp();
  const done = await begin(2, "done");
  done.sent.hangUp();
  done.call.result(plain);
  const open = await begin(3, "open");
  open.sent.hangUp();
  await expect.poll(() => store.keys?.find("local", "done", "")).toMatchObject({ outcome: { outcome: "ok" } });
  const batch = await openSession(hubs[0], { version: "2025-03-26" });
  const both = batch.send([
    { jsonrpc: "2.0", id: 7, method: "ping" },
    { jsonrpc: "2.0", id: "eight", method: "tools/call", params: work },
  ]);
  await page.nextCall();
  const ofBatch = (await both.nextEvent())?.id ?? "";
  both.hangUp();
  const news = session.listen();
  await page.offer({ tools: [toolOf("work"), toolOf("more")] });
  const ofNews = (await news.nextEvent())?.id ?? "";
  await hubs[0].close();
  const resume = (event: string, { headers } = session) =>
    sendRaw(front, { method: "GET", headers: { ...headers, "Last-Event-ID": event } });
  const answersTo = async (event: string) => (await resume(event).whole()).messages;
  expect(await answersTo(lost.event)).toMatchObject([{ id: 1, result: unknown }]);
  const replayed = { ...plain, _meta: { "pagewire/replay": true } };
  expect(await answersTo(done.event)).toMatchObject([{ id: 2, result: replayed }]);
  expect(await answersTo(open.event)).toMatchObject([{ id: 3, result: unknown }]);
  expect((await resume(ofBatch, batch).whole()).messages).toMatchObject([
    { id: 7, error: { code: -32603 } },
    { id: "eight", result: unknown },
  ]);
  const resumed = resume(ofNews);
  expect([await resumed.next(), await resumed.next(), await resumed.next()]).toMatchObject(
    ["tools", "prompts", "resources"].map((list) => ({ method: `notifications/${list}/list_changed` })),
  );
  for (const forged of ["", ".", ".e30", `.${Buffer.from('[["x",1]]').toString("base64url")}`]) {
    const { status } = await resume(`${crypto.randomUUID()}.1.1.x${forged}`).whole();
    expect(status, forged).toBe(400);
  }
  const many = Buffer.from(JSON.stringify(Array(200).fill([1, "tools/call", "key", "work"]))).toString("base64url");
  expect((await resume(`${crypto.randomUUID()}.1.1.${many}`).whole()).status).toBe(400);
});

test("MH104: the next round of a call may arrive at any hub, and is honest when its hub is gone", async () => {
  const { hubs, front } = await startMcpHubs();
  const page = await connectMcpPage(hubs[1], { handle: waiting });
  const responses = { who: accept("Ann") };
  for (let count = 0; count < 3; count++) {
    const first = await round(front);
    expect(saidIn(await round(front, first, { responses }))).toEqual(accept("Ann"));
  }
  const left = await round(hubs[0]);
  const others = await round(hubs[1]);
  await hubs[0].close();
  expect((await round(front, left, { responses })).result).toMatchObject(unknown);
  const state = String(others.result?.["requestState"]);
  const forged = [`${state}x`, state.slice(23).replace("v1", "v2"), `${"x".repeat(22)}.${state}`, state.slice(5)];
  for (const requestState of forged)
    expect((await round(front, { result: { requestState } })).error).toMatchObject(staleState);
  expect(saidIn(await round(front, others, { responses }))).toEqual(accept("Ann"));
  expect(page.calls.length).toBe(5);
});

test("MH104: a state that a page gave is taken by every hub", async () => {
  const { hubs } = await startMcpHubs();
  await connectMcpPage(hubs[2], { handle: asking({ inputRequests: { who: ask("Who?") }, requestState: "mine" }) });
  const first = await round(hubs[0]);
  await hubs[0].close();
  for (const hub of [hubs[1], hubs[2]]) {
    const said = saidIn(await round(hub, first, { responses: { who: accept("Ann") } }));
    expect(said).toMatchObject({ requestState: "mine" });
  }
  const changed = { result: { requestState: `${String(first.result?.["requestState"])}x` } };
  expect((await round(hubs[1], changed)).error).toMatchObject(staleState);
});

test("MH105: a hub that stops gives idle sessions to others, and keeps those with calls until they end", async () => {
  const { hubs, front } = await startMcpHubs();
  const page = await connectMcpPage(hubs[1]);
  const [idle, busy] = [await openSession(hubs[0]), await openSession(hubs[0])];
  const news = idle.listen();
  const sent = busy.request("tools/call", work, 1);
  const call = await page.nextCall();
  const drained = hubs[0].drain();
  expect(await news.next()).toBeUndefined();
  const through = (session: typeof idle, body: object) =>
    sendRaw(front, { headers: session.headers, body: { jsonrpc: "2.0", ...body } });
  for (let id = 2; id < 5; id++) expect((await through(idle, { id, method: "tools/list" }).whole()).status).toBe(200);
  expect(await hubs[0].metric("pagewire_agents")).toBe(1);
  const resumed = sendRaw(front, { method: "GET", headers: idle.headers });
  expect(await resumed.next()).toMatchObject({ method: "notifications/tools/list_changed" });
  for (let id = 2; id < 5; id++) {
    const more = through(busy, { id, method: "tools/call", params: work });
    (await page.nextCall()).result(plain);
    expect((await more.whole()).messages).toMatchObject([{ result: plain }]);
  }
  expect(await hubs[0].metric("pagewire_agents")).toBe(1);
  call.result(plain);
  expect((await sent.whole()).messages).toMatchObject([{ result: plain }]);
  await drained;
  expect((await through(busy, { id: 9, method: "ping" }).whole()).status).toBe(200);
}, 30_000);

test("MH103: a hub that others gave up serves no session that another has taken, and passes its requests on once it can", async () => {
  const bus = await startCuttable();
  const { hubs, front } = await startMcpHubs({}, bus.through);
  const session = await openSession(hubs[0]);
  const ping = pingOf(session);
  bus.cut();
  await expect.poll(ping(hubs[1]), { timeout: 20_000 }).toBe(200);
  expect(await ping(hubs[0])()).toBe(503);
  expect(await hubs[1].metric("pagewire_agents")).toBe(1);
  bus.mend();
  await expect.poll(ping(hubs[0]), { timeout: 20_000 }).toBe(200);
  expect([await hubs[0].metric("pagewire_agents"), await hubs[1].metric("pagewire_agents")]).toEqual([0, 1]);
  expect(await ping(front)()).toBe(200);
}, 60_000);

test("MH103: a hub that others gave up ends its streams of sessions elsewhere by itself, and finds none that ended there", async () => {
  const bus = await startCuttable();
  const { hubs } = await startMcpHubs({}, bus.through);
  const [session, ended] = [await openSession(hubs[0]), await openSession(hubs[0])];
  const news = session.listen();
  await once(news.request, "response");
  bus.cut();
  await expect.poll(pingOf(session)(hubs[1]), { timeout: 20_000 }).toBe(200);
  await expect.poll(pingOf(ended)(hubs[1]), { timeout: 20_000 }).toBe(200);
  expect((await sendRaw(hubs[1], { method: "DELETE", headers: ended.headers }).whole()).status).toBe(200);
  bus.mend();
  expect(await news.next()).toBeUndefined();
  expect(await pingOf(ended)(hubs[0])()).toBe(404);
}, 60_000);

const pingOf =
  ({ headers }: Pick<RawSession, "headers">) =>
  (hub: HubDoor) =>
  async () => {
    const sent = sendRaw(hub, { headers, body: { jsonrpc: "2.0", id: 1, method: "ping" } });
    return (await sent.whole().catch(() => ({ status: 0 }))).status;
  };

/** A way to the bus for the first hub alone, which can be cut. */
async function startCuttable() {
  const open = new Set<Socket>();
  let isCut = false;
  let port = 0;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const bus = connect(port, "127.0.0.1");
    for (const socket of [client, bus]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        bus.destroy();
      });
    }
    client.pipe(bus).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    cut,
    mend: () => void (isCut = false),
    through(url: string) {
      port = Number(new URL(url).port);
      return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}
