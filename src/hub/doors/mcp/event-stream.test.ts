import { once } from "node:events";
import { get } from "node:http";
import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import { answerTo } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectClient, megabyte, readAll, readUntil, startServer } from "./test-support/event-stream.test-helper.ts";
import { openEventStream } from "../event-stream.ts";
import type { EventStream } from "../event-stream.ts";
import { openSession } from "./test-support/raw-mcp.test-helper.ts";
import { HttpReply } from "./reply.ts";

const two = "GET /mcp HTTP/1.1\r\nHost: hub\r\n\r\n".repeat(2);

function open(response: ServerResponse, limits: Partial<Limits> = {}) {
  const onSlow = vi.fn<() => void>();
  const stream = openEventStream(response, { limits: { ...defaultLimits, ...limits }, onSlow });
  return { stream, onSlow };
}

/** A request that is being answered, and the client state that its reply reports. */
function reply(response: ServerResponse) {
  const gone = vi.fn<(isRead: boolean) => void>();
  const made = new HttpReply({
    response,
    id: 1,
    limits: defaultLimits,
    statusOf: () => 200,
    challenge: () => ({}),
    splice: () => undefined,
    onUnread: () => {},
    openChannel() {
      const { stream } = open(response);
      const end = (text: string) => {
        stream.send(text);
        stream.end();
      };
      return { unread: 0, isResumable: false, send: (text) => stream.send(text), end };
    },
  });
  made.gone = gone;
  return { made, gone };
}

test("a client that disconnects or resets its connection during its answer counts as disconnected", async () => {
  const server = await startServer();
  for (const happens of ["destroy", "resetAndDestroy"] as const) {
    for (const isAnswered of [false, true]) {
      const client = await connectClient(server);
      const { response } = await server.next();
      const { made, gone } = reply(response);
      if (isAnswered) made.result({ text: "x".repeat(32 * megabyte) });
      else made.notify("said", {});
      client[happens]();
      await expect.poll(() => gone.mock.calls).toEqual([[false]]);
    }
  }
});

test("a client that has its whole answer does not count as disconnected, even if it leaves later", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const exchange = async () => {
    const { request, response } = await server.next();
    const { made, gone } = reply(response);
    made.result({ is: "whole" });
    await readUntil(client, /whole/);
    await expect.poll(() => gone.mock.calls).toEqual([[true]]);
    return { socket: request.socket, listeners: request.socket.listenerCount("close"), gone };
  };
  const first = await exchange();
  client.write("GET /mcp HTTP/1.1\r\nHost: hub\r\n\r\n");
  const second = await exchange();
  expect(second.socket).toBe(first.socket);
  // A long-lived connection must not accumulate listeners of earlier requests.
  expect(second.listeners).toBe(first.listeners);
  client.destroy();
  await once(first.socket, "close");
  for (const { gone } of [first, second]) expect(gone).toHaveBeenCalledTimes(1);
});

test("a client that waits behind another request on its connection, or left before, counts as disconnected", async () => {
  const server = await startServer();
  const client = await connectClient(server, two);
  await server.next();
  const { response } = await server.next();
  const { gone } = reply(response);
  client.destroy();
  await expect.poll(() => gone.mock.calls).toEqual([[false]]);
  const late = await connectClient(server);
  const { response: unread } = await server.next();
  late.destroy();
  await once(unread, "close");
  // A disconnect must be noticed before anything is started for the request.
  const { stream } = open(unread);
  expect(stream.isOpen).toBe(false);
});

test("a stream has the headers of every response, and proxies must neither change nor buffer it", async () => {
  const server = await startServer();
  const sent = get({ port: server.port, agent: false });
  const { response } = await server.next();
  open(response).stream.end();
  expect((await answerTo(sent)).headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store, no-transform",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-accel-buffering": "no",
  });
});

test("what needs no answer has 202 and no body", async () => {
  const hub = await startHub();
  const session = await openSession(hub);
  const said = await session.send({ jsonrpc: "2.0", method: "notifications/initialized" }).whole();
  expect(said).toMatchObject({
    status: 202,
    text: "",
    headers: { "content-length": "0", "cache-control": "no-store" },
  });
});

test("a stream of events begins before its first event, and lives however long it is silent", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const { stream } = open(response);
  await readUntil(client, /text\/event-stream[^]*\r\n\r\n/);
  stream.send("first");
  await readUntil(client, /data: first\n\n/);
  // There is no timeout that would end the connection.
  expect([response.destroyed, response.socket?.timeout]).toEqual([false, undefined]);
  stream.send("later", "id-2");
  await readUntil(client, /id: id-2\ndata: later\n\n/);
  stream.end();
  await once(response, "close");
});

/** Sends until the client is disconnected, but at most a hundred times. */
async function flood({ stream, onSlow }: { stream: EventStream; onSlow: ReturnType<typeof vi.fn> }): Promise<void> {
  for (let count = 0; count < 100 && onSlow.mock.calls.length === 0; count++) {
    stream.send("x".repeat(megabyte));
    await new Promise(setImmediate);
  }
}

test("a client that leaves more than `queuedBytes` of a stream unread is cut off", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const opened = open(response, { queuedBytes: megabyte });
  await flood(opened);
  expect(opened.onSlow).toHaveBeenCalledTimes(1);
  expect((await readAll(client)).length).toBeLessThan(100 * megabyte);
  expect(opened.stream.unread).toBe(0);
});

test("it is cut off as well when the stream waits behind another answer on its connection", async () => {
  const server = await startServer();
  const client = await connectClient(server, two);
  await server.next();
  const { response } = await server.next();
  const opened = open(response, { queuedBytes: 10 });
  await flood(opened);
  expect(opened.onSlow).toHaveBeenCalledTimes(1);
  await readAll(client);
});

test("a client that reads gets a large event whole, however small `queuedBytes` is", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const { stream, onSlow } = open(response, { queuedBytes: 10 });
  const got = readUntil(client, /whole/);
  stream.send(`${"x".repeat(megabyte)} whole`);
  await got;
  expect(onSlow).not.toHaveBeenCalled();
});

test("when its client goes away a stream takes nothing more, and that is no error", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const { stream, onSlow } = open(response);
  stream.send("1");
  await readUntil(client, /data: 1/);
  client.resetAndDestroy();
  await expect.poll(() => stream.isOpen).toBe(false);
  stream.send("2");
  stream.end();
  expect([stream.unread, onSlow.mock.calls]).toEqual([0, []]);
});

test("a client that reads nothing for `requestTime` is cut off, whether more is to come or not", async () => {
  const server = await startServer();
  for (const ends of [false, true]) {
    const client = await connectClient(server);
    const { response } = await server.next();
    const { stream, onSlow } = open(response, { requestTime: 100, queuedBytes: 64 * megabyte });
    stream.send("x".repeat(32 * megabyte));
    if (ends) stream.end();
    await expect.poll(() => onSlow.mock.calls.length).toBe(1);
    expect((await readAll(client)).length).toBeLessThan(32 * megabyte);
  }
});

test("a client that reads slowly gets its stream, however long it takes", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const requestTime = 3000;
  const { stream, onSlow } = open(response, { requestTime, queuedBytes: 64 * megabyte });
  const size = 32 * megabyte;
  stream.send("x".repeat(size));
  const start = performance.now();
  let read = 0;
  client.on("data", (part: Buffer) => {
    read += part.length;
    if (performance.now() - start > 1.5 * requestTime) return;
    client.pause();
    setTimeout(() => client.resume(), 10);
  });
  client.resume();
  while (read < size) await once(client, "data");
  expect(performance.now() - start).toBeGreaterThan(requestTime);
  expect(onSlow).not.toHaveBeenCalled();
  await expect.poll(() => response.socket?.timeout).toBe(0);
});
