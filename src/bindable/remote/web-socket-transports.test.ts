import { EventEmitter } from "node:events";
import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ChatCore } from "./chat-core.test-helper.ts";
import { createFakeSockets, createLogger, settle } from "./fake-sockets.test-helper.ts";
import type { ClientMessage } from "./messages.ts";
import { createRemoteCoreProxy } from "./remote-core-proxy.ts";
import { RemoteShellProxy } from "./remote-shell-proxy.ts";
import { WebSocketClientTransport } from "./web-socket-client-transport.ts";
import { WebSocketServerTransport } from "./web-socket-server-transport.ts";

test("a client's transport queues messages until its socket is open, up to maxPreOpenQueue", async () => {
  const pair = createFakeSockets();
  const transport = new WebSocketClientTransport(pair.client, { maxPreOpenQueue: 2 });
  transport.send({ type: "sync" });
  transport.send({ type: "ping" });
  expect(() => transport.send({ type: "ping" })).toThrow("maxPreOpenQueue");
  pair.open();
  expect(pair.client.sent).toEqual(['{"type":"sync"}', '{"type":"ping"}']);
  transport.send({ type: "ping" });
  transport.dispose();
  transport.dispose();
  await settle();
  expect([pair.client.sent.length, pair.client.readyState]).toEqual([3, 3]);
  expect(() => transport.send({ type: "ping" })).toThrow("closed");
});

test("messages that are not JSON are dropped with a line in the log, on either side", async () => {
  const pair = createFakeSockets();
  const lines = createLogger();
  pair.open();
  const proxy = createRemoteCoreProxy(
    ChatCore.wcBindable,
    new WebSocketClientTransport(pair.client, { logger: lines }),
    { logger: lines },
  );
  new RemoteShellProxy(new ChatCore(), new WebSocketServerTransport(pair.server, { logger: lines }), { logger: lines });
  pair.server.send("not JSON");
  pair.client.send("{");
  pair.client.send("[]");
  pair.client.send(`${"[".repeat(100)}${"]".repeat(100)}`);
  await settle();
  expect([lines.lines.length, proxy["content" as never]]).toEqual([4, ""]);
});

test("a server's transport works with sockets of either kind of events, with text and with bytes of it", () => {
  const socket = Object.assign(new EventEmitter(), {
    sent: [] as string[],
    send: (data: string) => void socket.sent.push(data),
  });
  const transport = new WebSocketServerTransport(socket, { logger: createLogger() });
  const heard: ClientMessage[] = [];
  const closed: unknown[] = [];
  transport.onMessage((message) => heard.push(message));
  transport.onClose((reason) => closed.push(reason));
  const text = '{"type":"ping"}';
  const bytes = new TextEncoder().encode(text);
  for (const data of [text, Buffer.from(text), bytes, bytes.buffer, new Uint8Array([0xff]), 7, null])
    socket.emit("message", data);
  expect(heard).toEqual(Array.from({ length: 4 }, () => ({ type: "ping" })));
  transport.send({ type: "pong" });
  socket.emit("error", new Error("reset"));
  socket.emit("close", 1006, Buffer.from(""));
  socket.emit("close", 1006, Buffer.from(""));
  transport.dispose();
  socket.emit("message", text);
  socket.emit("error", new Error("late"));
  expect([socket.sent, closed, heard.length]).toEqual([['{"type":"pong"}'], [{ code: 1006 }], 4]);
});

test("over real sockets a core works as if it were here, and its shell goes with its socket", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  const core = new ChatCore();
  server.on("connection", (socket) => {
    const shell = new RemoteShellProxy(core, new WebSocketServerTransport(socket));
    socket.on("close", () => {
      core.abort();
      shell.dispose();
    });
  });
  const { port } = server.address() as { port: number };
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const proxy = createRemoteCoreProxy<{ content: string }>(ChatCore.wcBindable, new WebSocketClientTransport(socket));
  await proxy.setWithAck("provider", "openai");
  expect([await proxy.invoke("send", "Weather?"), proxy.content]).toEqual([core.content, core.content]);
  await expect(proxy.invoke("fail")).rejects.toMatchObject({ name: "TypeError", message: "It does not work." });
  const aborted = once(core, "chat:loading-changed");
  proxy.dispose();
  await aborted;
  expect(core.aborts).toBe(1);
  server.close();
});

test("a socket that closed before its shell was made is noticed, with either kind of events", async () => {
  const emitter = Object.assign(new EventEmitter(), { readyState: 3, send: () => {} });
  const target = Object.assign(new EventTarget(), { readyState: 3, send: () => {} });
  for (const [socket, close] of [
    [emitter, () => void emitter.emit("close", 1006)],
    [target, () => void target.dispatchEvent(new Event("close"))],
  ] as const) {
    const core = new ChatCore();
    const removed: string[] = [];
    core.removeEventListener = (type: string) => void removed.push(type);
    new RemoteShellProxy(core, new WebSocketServerTransport(socket));
    await settle();
    expect(removed).toHaveLength(ChatCore.wcBindable.properties.length);
    const closed: unknown[] = [];
    new WebSocketServerTransport(socket).onClose((reason) => closed.push(reason));
    await settle();
    close();
    expect(closed).toEqual([{}]);
  }
});

test("a client's socket that closed before its proxy was made ends the proxy's calls", async () => {
  const pair = createFakeSockets();
  pair.open();
  pair.cut();
  await settle();
  const proxy = createRemoteCoreProxy(ChatCore.wcBindable, new WebSocketClientTransport(pair.client));
  await expect(proxy.invoke("send", "x")).rejects.toMatchObject({ code: "WC_BINDABLE_TERMINAL_FAILURE" });
});
