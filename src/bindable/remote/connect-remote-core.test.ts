import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { ChatCore } from "./chat-core.test-helper.ts";
import { connectRemoteCore } from "./connect-engine.ts";
import { createFakeSockets, createLogger, settle } from "./fake-sockets.test-helper.ts";
import type { FakeSockets } from "./fake-sockets.test-helper.ts";
import { record, serveChat } from "./remote.test-helper.ts";

test("a connection is connecting, open, waiting after a cut, and open again by itself; observers go on", async () => {
  const served = serveChat();
  const remote = served.connect();
  const states: string[] = [];
  const stop = remote.onStateChange((state, reason) => states.push(reason ? `${state}: ${reason.message}` : state));
  const updates = record(remote.proxy);
  expect([remote.state, remote.reason]).toEqual(["connecting", undefined]);
  await served.clock.advance(0);
  expect([remote.state, updates.length]).toEqual(["open", 4]);
  served.sockets[0]?.cut();
  await served.clock.advance(0);
  expect([remote.state, remote.reason]).toMatchObject(["waiting", { code: "WC_BINDABLE_TERMINAL_FAILURE" }]);
  served.core.change("content", "meanwhile");
  await served.clock.advance(500);
  expect([remote.state, remote.proxy["content"], updates.splice(4)]).toEqual([
    "open",
    "meanwhile",
    [["content", "meanwhile"]],
  ]);
  expect(states).toEqual(["open", expect.stringMatching(/^waiting: The connection was lost/), "connecting", "open"]);
  stop();
  remote.close();
  remote.close();
  await served.clock.advance(0);
  expect([remote.state, remote.reason, states.length]).toEqual(["closed", undefined, 4]);
});

test("retryNow ends a wait, and close ends everything: no attempt, no timer, no call is left", async () => {
  const served = serveChat();
  const remote = served.connect();
  await served.clock.advance(0);
  served.sockets[0]?.cut();
  await served.clock.advance(0);
  remote.retryNow();
  await served.clock.advance(0);
  expect([remote.state, served.sockets.length]).toEqual(["open", 2]);
  served.sockets[1]?.cut();
  await served.clock.advance(0);
  const call = remote.proxy.invoke("send", "x").catch((error: unknown) => error);
  remote.close();
  remote.retryNow();
  expect(await call).toMatchObject({ code: "WC_BINDABLE_DISPOSED" });
  served.sessions.close();
  await served.clock.advance(60_000);
  expect([served.sockets.length, served.clock.pending]).toEqual([2, 0]);
});

test("the error of a listener is logged and ends nothing", async () => {
  const served = serveChat();
  const remote = served.connect({
    onSession() {
      throw new Error("no storage");
    },
  });
  const states: string[] = [];
  remote.onStateChange(() => {
    throw new Error("no screen");
  });
  remote.onStateChange((state) => states.push(state));
  await served.clock.advance(0);
  served.sockets[0]?.cut();
  await served.clock.advance(500);
  expect([remote.state, states]).toEqual(["open", ["open", "waiting", "connecting", "open"]]);
  expect([served.lines.filter((line) => line.includes("no storage")).length, served.lines.length]).toEqual([1, 5]);
  remote.close();
});

test("disposing of the proxy closes the connection for good", async () => {
  for (const cutFirst of [false, true]) {
    const served = serveChat({ keepFor: 0 });
    const remote = served.connect({ heartbeat: 1000 });
    await served.clock.advance(0);
    if (cutFirst) served.sockets[0]?.cut();
    await served.clock.advance(0);
    remote.proxy.dispose();
    await served.clock.advance(60_000);
    expect([remote.state, remote.reason, served.sockets.length, served.clock.pending]).toMatchObject([
      "closed",
      { code: "WC_BINDABLE_DISPOSED" },
      1,
      0,
    ]);
  }
});

test("an attempt that fails, hangs or cannot be made is followed by another, and its reason is reported", async () => {
  const clock = createFakeClock();
  const pairs: FakeSockets[] = [];
  let late = (_socket: FakeSockets["client"]) => {};
  const remote = connectRemoteCore(ChatCore.wcBindable, {
    clock,
    random: () => 1,
    logger: createLogger(),
    connectTimeout: 100,
    connect() {
      const pair = createFakeSockets();
      pairs.push(pair);
      if (pairs.length === 1) return Promise.reject(new Error("no token"));
      if (pairs.length === 2) queueMicrotask(() => queueMicrotask(() => queueMicrotask(pair.cut)));
      if (pairs.length === 4) return new Promise((resolve) => (late = resolve));
      if (pairs.length === 5) {
        pair.server.addEventListener("message", () => pair.server.send('{"type":"sync","values":{"content":"here"}}'));
        setImmediate(pair.open);
      }
      return pair.client;
    },
  });
  const reasons: (string | undefined)[] = [];
  remote.onStateChange((state, reason) => state === "waiting" && reasons.push(reason?.message));
  await clock.advance(20_000);
  await settle();
  await settle();
  expect(reasons).toEqual([
    "no token",
    expect.stringContaining("The connection was lost"),
    expect.stringContaining("no answer within 100 ms"),
    expect.stringContaining("no answer within 100 ms"),
  ]);
  const tooLate = pairs[3];
  if (!tooLate) throw new Error("There is no fourth attempt.");
  late(tooLate.client);
  await settle();
  expect([remote.state, remote.proxy["content"], pairs[2]?.client.readyState, tooLate.client.readyState]).toEqual([
    "open",
    "here",
    3,
    3,
  ]);
  remote.close();
});

test("calls made while there is no connection wait for it, in their order", async () => {
  const served = serveChat();
  const remote = served.connect();
  remote.proxy.set("provider", "openai");
  const first = remote.proxy.invoke("send", "one");
  await served.clock.advance(0);
  served.sockets[0]?.cut();
  await served.clock.advance(0);
  remote.proxy.set("provider", "azure");
  const second = remote.proxy.invoke("send", "two");
  await served.clock.advance(500);
  expect([await first, await second, served.core.provider, served.core.messages.length]).toEqual([
    "It is 12 degrees in Tokyo.",
    "It is 12 degrees in Tokyo.",
    "azure",
    4,
  ]);
});

test("an input that the core refuses is logged", async () => {
  const served = serveChat();
  const remote = served.connect();
  remote.proxy.set("provider", "");
  await served.clock.advance(0);
  expect(served.lines).toEqual([expect.stringContaining("A provider has a name.")]);
});

test("when the session was lost, sent calls end as unknown, all values are sent again, and later calls work", async () => {
  const served = serveChat({ keepFor: 100 });
  served.core.pause = () => new Promise(() => {});
  const names: string[] = [];
  const remote = served.connect({ onSession: (name) => names.push(name) });
  const lost = remote.proxy.invokeWithOptions("send", ["x"], { timeoutMs: 0 }).catch((error: unknown) => error);
  await served.clock.advance(0);
  expect(remote.proxy["messages"]).toHaveLength(1);
  served.sockets[0]?.cut();
  await served.clock.advance(0);
  const later = remote.proxy.invoke("send", "y");
  await served.clock.advance(600);
  expect(await lost).toMatchObject({
    code: "WC_BINDABLE_TERMINAL_FAILURE",
    message: expect.stringContaining("not known") as string,
  });
  expect([await later, served.closed, names, remote.proxy["messages"]]).toMatchObject([
    "It is 12 degrees in Tokyo.",
    ["session-1"],
    ["session-1"],
    [{ content: "y" }, { role: "assistant" }],
  ]);
});

test("values seen in a lost session do not count as seen in the next", async () => {
  const served = serveChat({ keepFor: 100 });
  const remote = served.connect();
  await served.clock.advance(0);
  await remote.proxy.invoke("send", "x");
  served.sockets[0]?.cut();
  await served.clock.advance(600);
  expect([served.closed, remote.proxy["content"]]).toEqual([["session-1"], ""]);
  served.sockets[1]?.cut();
  await served.clock.advance(1);
  served.cores[1]?.change("content", "new");
  remote.retryNow();
  await served.clock.advance(0);
  expect([remote.proxy["content"], served.cores.length]).toEqual(["new", 2]);
  remote.close();
});

test("with a stock server a cut ends the sent calls, and all values are sent again", async () => {
  const clock = createFakeClock();
  const pairs: FakeSockets[] = [];
  const received: string[] = [];
  const logger = createLogger();
  const remote = connectRemoteCore(ChatCore.wcBindable, {
    clock,
    logger,
    random: () => 1,
    connect() {
      const pair = createFakeSockets();
      pairs.push(pair);
      pair.server.addEventListener("message", ({ data }) => {
        const { type } = JSON.parse(data as string) as { type: string };
        received.push(type);
        const values = { content: `socket ${pairs.length}` };
        if (type === "sync") pair.server.send(JSON.stringify({ type: "sync", values, capabilities: { setAck: true } }));
      });
      queueMicrotask(pair.open);
      return pair.client;
    },
  });
  await clock.advance(0);
  remote.proxy.set("provider", "x");
  const lost = remote.proxy.invoke("send", "x").catch((error: unknown) => error);
  await clock.advance(0);
  pairs[0]?.cut();
  await clock.advance(500);
  expect(await lost).toMatchObject({ code: "WC_BINDABLE_TERMINAL_FAILURE" });
  expect([remote.proxy["content"], remote.state, received]).toEqual([
    "socket 2",
    "open",
    ["sync", "set", "cmd", "sync"],
  ]);
  await clock.advance(120_000);
  expect([received, logger.lines]).toEqual([["sync", "set", "cmd", "sync"], []]);
  remote.close();
});

test("a silent server is disconnected, and the client reconnects and gets what it missed", async () => {
  const served = serveChat();
  const remote = served.connect({ heartbeat: 1000 });
  await served.clock.advance(10_000);
  expect(served.sockets.length).toBe(1);
  served.core.pause = () => Promise.resolve();
  const [first] = served.sockets;
  if (!first) throw new Error("There is no socket.");
  first.server.readyState = 3;
  served.core.change("content", "missed");
  await served.clock.advance(2999);
  expect([remote.state, served.sockets.length]).toEqual(["open", 1]);
  await served.clock.advance(2000);
  expect([remote.state, served.sockets.length, remote.proxy["content"]]).toEqual(["open", 2, "missed"]);
  remote.close();
});

test("a server that refuses by policy, or because of another user's token, is not tried again", async () => {
  for (const [code, ...expected] of [
    [1008, "closed", 1, "The connection was lost: Forbidden origin."],
    [4403, "closed", 1, "The connection was lost: Forbidden origin."],
    [4401, "open", 2, undefined],
  ] as const) {
    const served = serveChat();
    const remote = served.connect();
    await served.clock.advance(0);
    served.sockets[0]?.server.close(code, code === 4403 ? "Forbidden origin." : "Forbidden origin");
    await settle();
    await served.clock.advance(60_000);
    expect([remote.state, served.sockets.length, remote.reason?.message]).toEqual(expected);
    remote.close();
  }
});

test("only an earlier client resumes: another one of the same session gets everything", async () => {
  const served = serveChat();
  const remote = served.connect();
  await served.clock.advance(0);
  await remote.proxy.invoke("send", "x");
  remote.close();
  await served.clock.advance(0);
  const reloaded = served.connect({ session: "session-1" });
  await served.clock.advance(0);
  expect([reloaded.proxy["messages"], served.cores.length]).toEqual([served.core.messages, 1]);
  reloaded.close();
});

test("an object that is no error is thrown whole on the other side", async () => {
  const limit = { status: 429, statusText: "Too Many Requests", retryAfter: 3 };
  const served = serveChat();
  served.core.send = () => Promise.reject(limit as unknown as Error);
  const { proxy } = served.connect();
  await expect(proxy.invoke("send", "Hi")).rejects.toEqual(limit);
});
