import { expect, test } from "vitest";
import { ChatCore } from "./chat-core.test-helper.ts";
import { createFakeSockets, createHandClient, settle } from "./fake-sockets.test-helper.ts";
import { createRemoteCoreProxy } from "./remote-core-proxy.ts";
import { record, serveChat } from "./remote.test-helper.ts";
import type { ServerMessage } from "./messages.ts";
import { WebSocketClientTransport } from "./web-socket-client-transport.ts";
import { WebSocketServerTransport } from "./web-socket-server-transport.ts";

const sync = (more: object = {}) => ({ type: "sync", pagewire: { client: "c", ...more } });

const namesOf = (messages: readonly ServerMessage[]) =>
  messages.map((message) => ("type" in message ? ("name" in message ? message.name : message.type) : message));

test("the first message names the session; without a name a new one is opened, and the reply names it", async () => {
  const { sessions, opened } = serveChat();
  const one = createHandClient();
  sessions.attach(one, "ada");
  expect(opened).toEqual([]);
  one.give(sync());
  one.give({ type: "set", name: "provider", value: "openai", id: "1" });
  await settle();
  expect(one.take()).toMatchObject([
    { type: "sync", capabilities: { pagewire: { session: "session-1", resumed: false } } },
    { type: "return", id: "1" },
  ]);
  const two = createHandClient();
  sessions.attach(two, "ada");
  two.give(sync({ client: "d", session: "conversation-7" }));
  await settle();
  expect([opened, sessions.size]).toEqual([
    [
      [undefined, "ada"],
      ["conversation-7", "ada"],
    ],
    2,
  ]);
});

test("a session is another principal's or unknown alike: refused with a code, and the client does not try again", async () => {
  const served = serveChat({
    open: (session) => {
      if (session !== undefined) return Promise.reject(Object.assign(new Error("There is none."), { code: "NONE" }));
      return Promise.resolve({ id: "s", core: new ChatCore(), close() {} });
    },
  });
  const ada = served.connect();
  await served.clock.advance(0);
  expect(ada.state).toBe("open");
  const eve = served.connect({ principal: "eve", session: "s" });
  const guess = served.connect({ principal: "eve", session: "other" });
  await served.clock.advance(60_000);
  expect([eve.state, guess.state, served.sockets.length, served.sessions.size]).toEqual(["closed", "closed", 3, 1]);
  expect([eve.reason, guess.reason]).toMatchObject([{ code: "PAGEWIRE_SESSION_UNKNOWN" }, { code: "NONE" }]);
  await expect(eve.proxy.invoke("send", "x")).rejects.toMatchObject({ code: "PAGEWIRE_SESSION_UNKNOWN" });
  expect(served.sockets[1]?.server.sent.join()).not.toContain("stack");
});

test("a session that is unavailable for now closes the socket with 1013, and the client reconnects", async () => {
  const ids = ["taken", "taken", "free"];
  const served = serveChat({
    open: () => Promise.resolve({ id: ids.shift() ?? "none", core: new ChatCore(), close() {} }),
  });
  const first = served.connect();
  await served.clock.advance(0);
  const second = served.connect();
  await served.clock.advance(0);
  expect([first.state, second.state]).toEqual(["open", "waiting"]);
  await served.clock.advance(60_000);
  expect([second.state, served.sessions.size, ids]).toEqual(["open", 2, []]);
});

test("a stock client that is refused is closed with 1008 and the reason", async () => {
  const { sessions } = serveChat({ open: () => Promise.reject(new Error("Not today.")) });
  const client = createHandClient();
  sessions.attach(client, "ada");
  client.give({ type: "sync" });
  await settle();
  expect([client.sent, client.closedWith]).toEqual([[], { code: 1008, reason: "Not today." }]);
});

test("several clients of one principal share a session, and all see the same", async () => {
  const served = serveChat();
  const names: string[] = [];
  const desk = served.connect({ onSession: (name) => names.push(name) });
  await served.clock.advance(0);
  const phone = served.connect({ session: names[0] ?? "" });
  await served.clock.advance(0);
  const updates = record(phone.proxy);
  updates.length = 0;
  expect(await desk.proxy.invoke("send", "Weather?")).toBe("It is 12 degrees in Tokyo.");
  await served.clock.advance(0);
  expect([phone.proxy["messages"], phone.proxy["content"]]).toEqual([desk.proxy["messages"], desk.proxy["content"]]);
  expect(updates.length).toBeGreaterThan(8);
  phone.close();
  await served.clock.advance(0);
  await desk.proxy.invoke("send", "And tomorrow?");
  expect([served.cores.length, served.core.messages.length, served.closed]).toEqual([1, 4, []]);
});

test("a session without clients is kept for its time, and then closed once", async () => {
  const served = serveChat({ keepFor: 1000 });
  const remote = served.connect();
  await served.clock.advance(0);
  remote.close();
  await served.clock.advance(999);
  expect([served.sessions.size, served.closed]).toEqual([1, []]);
  const back = served.connect({ session: "session-1" });
  await served.clock.advance(5000);
  expect([back.state, served.cores.length, served.closed]).toEqual(["open", 1, []]);
  back.close();
  await served.clock.advance(1001);
  expect([served.sessions.size, served.closed, served.clock.pending]).toEqual([0, ["session-1"], 0]);
});

test("the session of a stock client, which cannot resume, is closed when it leaves", async () => {
  const served = serveChat();
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  client.give({ type: "sync" });
  await settle();
  client.end();
  await served.clock.advance(0);
  expect([served.sessions.size, served.closed, served.clock.pending]).toEqual([0, ["session-1"], 0]);
});

test("an opened core is closed by its own method, also when it cannot be served", async () => {
  class Opened {
    readonly id = "s";
    isClosed = false;
    constructor(readonly core: EventTarget) {}
    close() {
      this.isClosed = true;
    }
  }
  for (const core of [new ChatCore(), new EventTarget()]) {
    const opened = new Opened(core);
    const { sessions } = serveChat({ open: () => Promise.resolve(opened) });
    const client = createHandClient();
    sessions.attach(client, "ada");
    client.give(sync());
    await settle();
    expect([opened.isClosed, client.closedWith?.code]).toEqual(
      core instanceof ChatCore ? [false, undefined] : [true, 1008],
    );
    sessions.close();
    expect(opened.isClosed).toBe(true);
  }
});

test("closing the sessions closes every core and every socket, once", async () => {
  const served = serveChat();
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  client.give(sync());
  await settle();
  served.sessions.close();
  served.sessions.close();
  expect([served.closed, client.closedWith?.code, served.sessions.size, served.clock.pending]).toEqual([
    ["session-1"],
    1001,
    0,
    0,
  ]);
});

test("a session that opens after its client left, or after the sessions were closed, is not kept for ever", async () => {
  let open = () => {};
  const closed: string[] = [];
  const core = new ChatCore();
  const served = serveChat({
    open: () => new Promise((resolve) => (open = () => resolve({ id: "s", core, close: () => closed.push("s") }))),
  });
  const early = createHandClient();
  served.sessions.attach(early, "ada");
  early.give(sync());
  early.end();
  open();
  await settle();
  await served.clock.advance(0);
  expect([closed, served.sessions.size]).toEqual([["s"], 0]);
  const late = createHandClient();
  served.sessions.attach(late, "ada");
  late.give(sync());
  served.sessions.close();
  open();
  await settle();
  expect([closed, late.closedWith?.code]).toEqual([["s", "s"], 1013]);
});

test("two clients that want the same stored session at once get the same core", async () => {
  const served = serveChat();
  const clients = ["a", "b"].map((client) => {
    const hand = createHandClient();
    served.sessions.attach(hand, "ada");
    hand.give(sync({ client, session: "stored" }));
    return hand;
  });
  await settle();
  expect([served.cores.length, clients.map(({ sent }) => sent.length)]).toEqual([1, [1, 1]]);
});

test("a principal's sessions are limited: an idle one is evicted, else a new one is refused", async () => {
  const served = serveChat({ limits: { sessionsPerPrincipal: 2, clientsPerSession: 1 } });
  const first = served.connect();
  const second = served.connect();
  await served.clock.advance(0);
  const third = served.connect();
  const other = served.connect({ principal: "bob" });
  await served.clock.advance(0);
  expect([third.state, other.state, third.reason]).toMatchObject([
    "closed",
    "open",
    { code: "PAGEWIRE_TOO_MANY_SESSIONS" },
  ]);
  first.close();
  await served.clock.advance(0);
  const fourth = served.connect();
  await served.clock.advance(0);
  expect([fourth.state, second.state, served.closed]).toEqual(["open", "open", ["session-1"]]);
  const crowd = served.connect({ session: "session-2" });
  await served.clock.advance(0);
  expect([crowd.state, crowd.reason]).toMatchObject(["closed", { code: "PAGEWIRE_TOO_MANY_SESSIONS" }]);
});

test("messages before a session is open are queued up to a limit, beyond which the client is refused", async () => {
  const served = serveChat({ open: () => new Promise(() => {}), limits: { earlyMessages: 2 } });
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  for (let at = 0; at < 4; at++) client.give({ type: "cmd", name: "send", id: String(at), args: [] });
  await settle();
  expect(client.closedWith?.code).toBe(1008);
});

test("a client that does not read gets what it lacks once there is room, and no more than that is stored for it", async () => {
  const served = serveChat({ limits: { bufferedBytes: 100, bufferedPause: 10 } });
  for (const more of [{ client: "c" }, undefined]) {
    const client = createHandClient();
    served.sessions.attach(client, more ? "ada" : "bob");
    client.give({ type: "sync", ...(more && { pagewire: more }) });
    await settle();
    const core = served.cores.at(-1) as ChatCore;
    client.take();
    client.bufferedAmount = 101;
    client.give({ type: "cmd", name: "send", id: "1", args: ["Go"] });
    client.give({ type: "ping" });
    await settle();
    await served.clock.advance(1000);
    expect([client.sent, core.content]).toEqual([[], "It is 12 degrees in Tokyo."]);
    client.bufferedAmount = 0;
    await served.clock.advance(10);
    expect(namesOf(client.take())).toEqual(["content", "messages", "loading", "return"]);
    expect(served.clock.pending).toBe(0);
  }
});

test("a command that its client cancels is aborted: its signal, and the abort that the core declares", async () => {
  const served = serveChat();
  served.core.pause = () => new Promise((resolve) => void served.clock.after(100, resolve));
  const remote = served.connect();
  await served.clock.advance(0);
  const controller = new AbortController();
  const aborted = remote.proxy.invokeWithOptions("send", ["x"], { signal: controller.signal }).catch(() => "aborted");
  await served.clock.advance(250);
  controller.abort();
  expect(await aborted).toBe("aborted");
  await served.clock.advance(1000);
  expect([served.core.aborts, remote.proxy["content"], remote.proxy["loading"]]).toEqual([1, "It is ", false]);

  const late = remote.proxy.invokeWithOptions("send", ["y"], { timeoutMs: 150 }).catch(() => "late");
  await served.clock.advance(2000);
  expect([await late, served.core.aborts, remote.proxy["content"]]).toEqual(["late", 2, "It "]);
});

test("a command given up while the connection is lost is aborted once the client is back", async () => {
  const served = serveChat();
  let stopped = false;
  served.core.pause = () => new Promise((resolve) => void served.clock.after(10_000, resolve));
  const remote = served.connect();
  await served.clock.advance(0);
  const late = remote.proxy.invokeWithOptions("send", ["y"], { timeoutMs: 100 }).catch(() => "late");
  await served.clock.advance(0);
  served.sockets[0]?.cut();
  await served.clock.advance(100);
  expect([await late, served.core.aborts]).toEqual(["late", 0]);
  await served.clock.advance(1000);
  stopped = served.core.aborts === 1;
  expect([stopped, remote.state, served.cores.length]).toEqual([true, "open", 1]);
});

test("a server may run commands itself, and knows their caller", async () => {
  const calls: object[] = [];
  const served = serveChat({
    call(_core, { signal, ...call }) {
      calls.push({ ...call, aborted: signal.aborted });
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve("stopped"));
        if (call.args[0] === "now") resolve("now");
      });
    },
  });
  const remote = served.connect();
  await served.clock.advance(0);
  expect(await remote.proxy.invoke("send", "now")).toBe("now");
  await expect(
    remote.proxy.invokeWithOptions("send", [], { timeoutMs: 1, signal: AbortSignal.abort() }),
  ).rejects.toThrow();
  expect([calls, served.core.aborts]).toEqual([
    [{ name: "send", args: ["now"], session: "session-1", principal: "ada", aborted: false }],
    0,
  ]);
});

test("the commands of a client that run, or whose outcome it has not read, are limited", async () => {
  const served = serveChat({ limits: { commandsInFlight: 2 } });
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  client.give(sync());
  for (const id of ["1", "2", "3"]) client.give({ type: "cmd", name: "send", id, args: [id] });
  await settle();
  expect(client.take().find((message) => "type" in message && message.type === "throw")).toMatchObject({
    id: "3",
    error: { code: "PAGEWIRE_TOO_MANY_CALLS" },
  });
  client.give({ type: "cmd", name: "send", id: "1", args: ["1"] });
  expect(client.take()).toMatchObject([{ type: "return", id: "1" }]);
  client.give({ type: "got", ids: ["1", "2"] });
  client.give({ type: "cmd", name: "send", id: "3", args: ["3"] });
  await settle();
  expect([served.core.sends, client.take().at(-1)]).toEqual([3, expect.objectContaining({ type: "return", id: "3" })]);
});

test("a client that stops its heartbeat is disconnected, and can resume", async () => {
  const served = serveChat({ limits: { silence: 1000 } });
  const silent = createHandClient();
  const quiet = createHandClient();
  served.sessions.attach(silent, "ada");
  served.sessions.attach(quiet, "bob");
  silent.give(sync({ heartbeat: 400 }));
  quiet.give(sync());
  await settle();
  await served.clock.advance(900);
  silent.give({ type: "ping" });
  expect(silent.take().at(-1)).toEqual({ type: "pong" });
  await served.clock.advance(900);
  expect(silent.closedWith).toBeUndefined();
  await served.clock.advance(100);
  expect([silent.closedWith?.code, quiet.closedWith, served.sessions.size]).toEqual([4022, undefined, 2]);
  const rare = createHandClient();
  served.sessions.attach(rare, "eve");
  rare.give(sync({ heartbeat: 5000 }));
  await served.clock.advance(9999);
  expect(rare.closedWith).toBeUndefined();
  await served.clock.advance(1);
  expect(rare.closedWith?.code).toBe(4022);
});

test("a proxy that does not reconnect by itself acknowledges all of its outcomes", async () => {
  const served = serveChat({ limits: { commandsInFlight: 2 } });
  const pair = createFakeSockets();
  served.sessions.attach(new WebSocketServerTransport(pair.server), "ada");
  const proxy = createRemoteCoreProxy(ChatCore.wcBindable, new WebSocketClientTransport(pair.client));
  pair.open();
  for (let at = 0; at < 5; at++) expect(await proxy.invoke("send", "x")).toBe("It is 12 degrees in Tokyo.");
});
