import { expect, test } from "vitest";
import { ChatCore } from "./chat-core.test-helper.ts";
import { createFakeSockets, createHandClient, createLogger, settle } from "./fake-sockets.test-helper.ts";
import { RemoteShellProxy } from "./remote-shell-proxy.ts";
import { serveChat } from "./remote.test-helper.ts";
import { WebSocketServerTransport } from "./web-socket-server-transport.ts";

function show() {
  const core = new ChatCore();
  const client = createHandClient();
  const logger = createLogger();
  new RemoteShellProxy(core, client, { logger });
  return { core, client, lines: logger.lines };
}

const idle = () => new Promise<void>(() => {});

test("a client that never reads is disconnected once it has too many unread answers, of any kind", async () => {
  const answer = { type: "sync", values: {}, capabilities: { pagewire: { resumed: false } } };
  for (const [first, question, sent] of [
    [{ type: "sync" }, { type: "cmd", name: "abort", args: [] }, [{ type: "sync" }]],
    [{ type: "sync" }, { type: "cmd", name: "unknown", args: [] }, [{ type: "sync" }]],
    [{ type: "cmd", name: "abort", id: "0", args: [] }, { type: "set", name: "provider", value: "x" }, [{ id: "0" }]],
    [{ type: "sync", pagewire: { client: "c" } }, { type: "cmd", name: "unknown", args: [] }, [answer]],
  ] as const) {
    const served = serveChat({ limits: { unreadAnswers: 10 } });
    const client = createHandClient();
    served.sessions.attach(client, "ada");
    client.give(first);
    await settle();
    client.bufferedAmount = 2 ** 30;
    for (let at = 1; at <= 10; at++) client.give({ ...question, id: String(at) });
    await settle();
    expect([client.closedWith, client.take().length]).toEqual([undefined, sent.length]);
    client.give({ ...question, id: "11" });
    await settle();
    expect([client.closedWith?.code, client.sent]).toEqual([4021, []]);
    await served.clock.advance(120_000);
    expect([served.sessions.size, served.clock.pending]).toEqual([0, 0]);
  }
});

test("a client that asks for the values again before it has read them is let go", async () => {
  const served = serveChat();
  const client = createHandClient();
  served.sessions.attach(client, "ada");
  client.give({ type: "sync" });
  client.give({ type: "sync" });
  await settle();
  expect(client.take().map((message) => "type" in message && message.type)).toEqual(["sync", "sync"]);
  client.bufferedAmount = 2 ** 30;
  client.give({ type: "sync" });
  expect([client.closedWith?.code, client.sent]).toEqual([4021, []]);
});

test("asking for the values again, or under another name, makes no room for more commands", async () => {
  for (const name of [undefined, "b"]) {
    const served = serveChat({ limits: { commandsInFlight: 2 } });
    served.core.pause = idle;
    const client = createHandClient();
    served.sessions.attach(client, "ada");
    const sync = (as?: string) => client.give({ type: "sync", ...(as !== undefined && { pagewire: { client: as } }) });
    sync(name && "a");
    await settle();
    for (let at = 0; at < 8; at++) {
      client.give({ type: "cmd", name: "send", id: String(at), args: [""] });
      if (at % 2 === 1) sync(name && `${name}${at}`);
    }
    await settle();
    expect(served.core.sends).toBe(2);
  }
});

test("clients that left while their commands run make no room for others", async () => {
  const served = serveChat({ limits: { clientsPerSession: 2, commandsInFlight: 1 } });
  served.core.pause = idle;
  const come = async (name: string) => {
    const client = createHandClient();
    served.sessions.attach(client, "ada");
    client.give({ type: "sync", pagewire: { client: name, session: "s" } });
    await settle();
    client.give({ type: "cmd", name: "send", id: "1", args: [""] });
    await settle();
    client.end();
    return client.sent.at(-1);
  };
  for (const name of ["a", "b"]) await come(name);
  expect([await come("c"), served.core.sends]).toMatchObject([
    { type: "refused", error: { code: "PAGEWIRE_TOO_MANY_SESSIONS" } },
    2,
  ]);
});

test("ids of more than 256 characters are refused", async () => {
  const { core, client, lines } = show();
  client.give({ type: "cmd", name: "send", id: "x".repeat(257), args: [""] });
  client.give({ type: "cmd", name: "send", id: "x".repeat(256), args: [""] });
  await settle();
  expect([client.take().length, core.sends, lines.length]).toEqual([1, 1, 1]);
});

test("the reason of a close is cut to the length that a WebSocket allows", async () => {
  const { client, server } = createFakeSockets();
  const reasons: (string | undefined)[] = [];
  client.addEventListener("close", ({ reason }) => reasons.push(reason));
  new WebSocketServerTransport(server).close(1008, "é".repeat(2_000_000));
  await settle();
  expect(reasons).toEqual(["é".repeat(61)]);
});

test("a malformed message with the id of a call that is not answered yet does not answer that call", async () => {
  const { client } = show();
  client.give({ type: "cmd", name: "send", id: "1", args: ["x"] });
  client.give({ type: "cmd", name: "send", id: "1", args: "none" });
  await settle();
  expect(client.take()).toEqual([{ type: "return", id: "1", value: "It is 12 degrees in Tokyo." }]);
});

test("a failure of the core's abort is only logged", async () => {
  for (const abort of [
    () => Promise.reject(new Error("late")),
    () => {
      throw new Error("early");
    },
  ]) {
    const served = serveChat();
    served.core.pause = idle;
    Object.assign(served.core, { abort });
    const remote = served.connect();
    const late = remote.proxy.invokeWithOptions("send", ["x"], { timeoutMs: 10 }).catch(() => "late");
    await served.clock.advance(20);
    await settle();
    expect([await late, served.lines]).toEqual(["late", [expect.stringMatching(/abort.*(late|early)/)]]);
    remote.close();
  }
});
