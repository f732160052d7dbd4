import { EventEmitter, once } from "node:events";
import { createServer, get, request as ask } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import { respondError } from "../../http/respond.ts";
import { answerTo } from "../../http.test-helper.ts";
import { sendWebResponse, toWebRequest } from "./web-exchange.ts";

const megabyte = 1024 * 1024;
const bytes = (value: string) => new TextEncoder().encode(value);

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface TestServer {
  readonly port: number;
  /** The next request that came. */
  next(): Promise<Exchange>;
}

const servers: Server[] = [];
const clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function startServer(): Promise<TestServer> {
  const came: Exchange[] = [];
  const news = new EventEmitter();
  const server = createServer((request, response) => {
    request.resume();
    came.push({ request, response });
    news.emit("came");
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async next() {
      if (came.length === 0) await once(news, "came");
      return came.shift() ?? this.next();
    },
  };
}

/** A client that reads only what it is made to. */
async function connectClient(server: TestServer, lines = "GET /mcp HTTP/1.1\r\nHost: hub\r\n\r\n"): Promise<Socket> {
  const client = connect(server.port, "127.0.0.1");
  clients.push(client);
  client.on("error", () => {});
  await once(client, "connect");
  client.pause();
  client.write(lines);
  return client;
}

/** What a client is sent until its connection ends. */
async function readAll(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(client.resume(), "close");
  return Buffer.concat(chunks).toString();
}

/** Resolves when a client has been sent something that matches. */
async function readUntil(client: Socket, wanted: RegExp): Promise<string> {
  let got = "";
  client.resume();
  while (!wanted.test(got)) got += String((await once(client, "data"))[0]);
  return got;
}

interface OpenBody {
  readonly stream: ReadableStream<Uint8Array>;
  push(value: string | Uint8Array): void;
  end(): void;
  fail(error: Error): void;
  /** Resolves when nobody wants the body any more. */
  readonly cancelled: Promise<void>;
}

/** A body that a test fills by hand; like those of the SDK, it takes no notice of who reads. */
function openBody(): OpenBody {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let tell = () => {};
  const cancelled = new Promise<void>((resolve) => (tell = resolve));
  const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given), cancel: () => tell() });
  return {
    stream,
    cancelled,
    push: (value) => controller?.enqueue(typeof value === "string" ? bytes(value) : value),
    end: () => controller?.close(),
    fail: (error) => controller?.error(error),
  };
}

const ofEvents = { headers: { "Content-Type": "text/event-stream" } };

test("M60: a request is given to the SDK with its method, whole address and headers, and without its body", async () => {
  const server = await startServer();
  const sent = ask({
    port: server.port,
    path: "//mcp/tabs/a%20b?x=1",
    method: "POST",
    agent: false,
    headers: { Host: "127.0.0.1:7337", "Mcp-Session-Id": "abc", "X-Twice": ["one", "two"], "X-Old": "caf\xe9" },
  });
  sent.end(Buffer.from("{}"));
  const { request, response } = await server.next();
  const web = toWebRequest(request, response);
  expect(web.method).toBe("POST");
  expect(web.url).toBe("http://127.0.0.1:7337//mcp/tabs/a%20b?x=1");
  expect(web.headers.get("mcp-session-id")).toBe("abc");
  expect(web.headers.get("x-twice")).toBe("one, two");
  expect(web.headers.get("x-old")).toBe("caf\xe9");
  expect(web.headers.get("content-length")).toBe(request.headers["content-length"] ?? null);
  expect(web.body).toBe(null);
  expect(toWebRequest(request, response)).toBe(web);
  response.end();
  await answerTo(sent);
});

test("M61: a client that goes away before its answer is whole aborts the request", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { request, response } = await server.next();
  const { signal } = toWebRequest(request, response);
  response.write("half");
  expect(signal.aborted).toBe(false);
  client.destroy();
  await once(signal, "abort");
});

test("M61: a client that resets its connection before it read its answer aborts the request", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { request, response } = await server.next();
  const { signal } = toWebRequest(request, response);
  response.end(Buffer.alloc(32 * megabyte));
  client.resetAndDestroy();
  await once(signal, "abort");
});

test("M61: an answer that was written whole aborts nothing, also when its client goes away later", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const exchange = async () => {
    const { request, response } = await server.next();
    const { signal } = toWebRequest(request, response);
    const sent = sendWebResponse(new Response("whole"), response, defaultLimits);
    await readUntil(client, /whole/);
    await sent;
    return { signal, socket: request.socket, listeners: request.socket.listenerCount("close") };
  };
  const first = await exchange();
  client.write("GET /mcp HTTP/1.1\r\nHost: hub\r\n\r\n");
  const second = await exchange();
  expect(second.socket).toBe(first.socket);
  // A connection that lives long does not gather what its requests left.
  expect(second.listeners).toBe(first.listeners);
  client.destroy();
  await once(first.socket, "close");
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
});

test("M61: a request is aborted from the start when its client went away before", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { request, response } = await server.next();
  client.destroy();
  await once(response, "close");
  expect(toWebRequest(request, response).signal.aborted).toBe(true);
});

test("M61: a request that waits behind another on its connection is aborted too", async () => {
  const server = await startServer();
  const client = await connectClient(server, "GET / HTTP/1.1\r\nHost: hub\r\n\r\n".repeat(2));
  await server.next();
  const { request, response } = await server.next();
  const { signal } = toWebRequest(request, response);
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, defaultLimits);
  body.push("data: 1\n\n");
  client.destroy();
  await Promise.all([once(signal, "abort"), body.cancelled, sent]);
  expect(signal.aborted).toBe(true);
});

test("M61: who keeps only the signal of a request still hears that its client went away", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const server = await startServer();
  const client = await connectClient(server);
  const { request, response } = await server.next();
  const { signal } = toWebRequest(request, response);
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise(setImmediate);
  }
  client.destroy();
  await once(response, "close");
  expect(signal.aborted).toBe(true);
});

test("M62: an answer arrives with its status, headers and body, and with what every answer of the hub carries", async () => {
  const server = await startServer();
  const sent = get({ port: server.port, agent: false, headers: { Connection: "close" } });
  const { response } = await server.next();
  const headers = {
    "Content-Type": "application/json",
    "Mcp-Session-Id": "abc",
    "Cache-Control": "public",
    "Referrer-Policy": "unsafe-url",
    Connection: "keep-alive",
  };
  const answer = new Response("\u{1f600}".repeat(100_000), { status: 404, headers });
  await sendWebResponse(answer, response, defaultLimits);
  const { status, headers: got, text: body } = await answerTo(sent);
  expect(status).toBe(404);
  expect(body).toBe("\u{1f600}".repeat(100_000));
  expect(got).toMatchObject({
    "content-type": "application/json",
    "mcp-session-id": "abc",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
});

test("M62: what may not be changed on its way says so still", async () => {
  const server = await startServer();
  const sent = get({ port: server.port, agent: false });
  const { response } = await server.next();
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" };
  await sendWebResponse(new Response("data: 1\n\n", { headers }), response, defaultLimits);
  expect((await answerTo(sent)).headers["cache-control"]).toBe("no-store, no-transform");
});

test("M63: an answer without a body ends with its headers", async () => {
  const server = await startServer();
  for (const [status, length] of [
    [202, "0"],
    [204, undefined],
    [200, "0"],
  ] as const) {
    const sent = get({ port: server.port, agent: false });
    const { response } = await server.next();
    await sendWebResponse(new Response(status === 200 ? "" : null, { status }), response, defaultLimits);
    const got = await answerTo(sent);
    expect(got).toMatchObject({ status, text: "" });
    expect(got.headers["content-length"]).toBe(length);
    expect(got.headers["x-content-type-options"]).toBe("nosniff");
  }
});

test("M63: a HEAD is answered with headers alone, and the body is not made", async () => {
  const server = await startServer();
  const sent = ask({ port: server.port, method: "HEAD", agent: false }).end();
  const { response } = await server.next();
  const body = openBody();
  await sendWebResponse(new Response(body.stream, ofEvents), response, defaultLimits);
  await body.cancelled;
  expect(await answerTo(sent)).toMatchObject({
    status: 200,
    text: "",
    headers: { "content-type": "text/event-stream" },
  });
});

test("M64: a stream of events begins before its first event, and lives however long it is silent", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, { ...defaultLimits, requestTime: 10 });
  await readUntil(client, /text\/event-stream[^]*\r\n\r\n/);
  body.push("data: first\n\n");
  await readUntil(client, /first/);
  await new Promise((resolve) => setTimeout(resolve, 100));
  body.push("data: later\n\n");
  await readUntil(client, /later/);
  body.end();
  await sent;
});

test("M65: a body is made no faster than its client reads it", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const chunk = new Uint8Array(megabyte);
  const chunks = 64;
  let made = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      made++;
      controller.enqueue(chunk);
      if (made === chunks) controller.close();
    },
  });
  const sent = sendWebResponse(new Response(stream), response, defaultLimits);
  // What the system's own buffers take is never that much.
  const blocked = new Promise<number>((resolve) => {
    let before = -1;
    const look = setInterval(() => {
      if (made !== before || made === 0) return void (before = made);
      clearInterval(look);
      resolve(made);
    }, 50);
  });
  expect(await blocked).toBeLessThan(chunks / 2);
  let read = 0;
  client.on("data", (part: Buffer) => (read += part.length));
  client.resume();
  await sent;
  expect(made).toBe(chunks);
  while (read < chunks * megabyte) await once(client, "data");
});

test("M65: a client that leaves more than `queuedBytes` of a stream of events unread is cut off", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, {
    ...defaultLimits,
    queuedBytes: megabyte,
  });
  const settled = expect(sent).rejects.toMatchObject({ code: "too-slow", message: /queuedBytes/ });
  for (let count = 0; count < 100 && !response.destroyed; count++) {
    body.push(new Uint8Array(megabyte));
    await new Promise(setImmediate);
  }
  await settled;
  await body.cancelled;
  expect(body.stream.locked).toBe(false);
  expect((await readAll(client)).length).toBeLessThan(100 * megabyte);
});

test("M65: a client that reads gets a large event whole, however small `queuedBytes` is", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, { ...defaultLimits, queuedBytes: 10 });
  const got = readUntil(client, /whole/);
  body.push(`data: ${"x".repeat(megabyte)} whole\n\n`);
  await got;
  body.end();
  await sent;
});

test("M66: when its client goes away the body is cancelled and let go of, and nobody hears of an error", async () => {
  const server = await startServer();
  for (const init of [ofEvents, {}]) {
    const client = await connectClient(server);
    const { response } = await server.next();
    const body = openBody();
    const sent = sendWebResponse(new Response(body.stream, init), response, defaultLimits);
    body.push("data: 1\n\n");
    await readUntil(client, /data: 1/);
    client.resetAndDestroy();
    await Promise.all([body.cancelled, sent]);
    expect(body.stream.locked).toBe(false);
  }
});

test("M66: a client that went away before the answer was made, or while it is not reading, costs nothing more", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  client.destroy();
  await once(response, "close");
  const late = openBody();
  await sendWebResponse(new Response(late.stream), response, defaultLimits);
  await late.cancelled;

  const other = await connectClient(server);
  const { response: unread } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream), unread, defaultLimits);
  body.push(new Uint8Array(32 * megabyte));
  while (!unread.writableNeedDrain) await new Promise(setImmediate);
  other.destroy();
  await Promise.all([body.cancelled, sent]);
});

test("M66: a body that cannot be cancelled is let go of all the same", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const stream = new ReadableStream<Uint8Array>({ cancel: () => Promise.reject(new Error("cannot")) });
  const sent = sendWebResponse(new Response(stream, ofEvents), response, defaultLimits);
  await readUntil(client, /\r\n\r\n/);
  client.destroy();
  await sent;
  expect(stream.locked).toBe(false);
});

test("M67: a client that reads nothing for `requestTime` is cut off, whether more is to come or not", async () => {
  const server = await startServer();
  for (const [init, ends] of [
    [{}, false],
    [{}, true],
    [ofEvents, false],
  ] as const) {
    const client = await connectClient(server);
    const { response } = await server.next();
    const body = openBody();
    const sent = sendWebResponse(new Response(body.stream, init), response, { ...defaultLimits, requestTime: 100 });
    body.push(new Uint8Array(32 * megabyte));
    if (ends) body.end();
    else body.push("more");
    await expect(sent).rejects.toMatchObject({ code: "too-slow", message: /requestTime/ });
    expect(body.stream.locked).toBe(false);
    expect((await readAll(client)).length).toBeLessThan(32 * megabyte);
  }
});

test("M67: a client that reads slowly gets its answer, however long it takes", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const requestTime = 300;
  const size = 32 * megabyte;
  const sent = sendWebResponse(new Response(new Uint8Array(size)), response, { ...defaultLimits, requestTime });
  const start = performance.now();
  let read = 0;
  client.on("data", (part: Buffer) => {
    read += part.length;
    client.pause();
    setTimeout(() => client.resume(), 3);
  });
  client.resume();
  await sent;
  expect(performance.now() - start).toBeGreaterThan(requestTime);
  while (read < size) await once(client, "data");
});

test("M67: a slow answer does not shorten the life of its connection", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream), response, { ...defaultLimits, requestTime: 1000 });
  body.push(new Uint8Array(16 * megabyte));
  while (!response.writableNeedDrain) await new Promise(setImmediate);
  client.resume();
  await once(response, "drain");
  await new Promise(setImmediate);
  expect(response.socket?.timeout).toBe(0);
  body.end();
  await sent;
});

test("M68: a body that fails midway breaks the answer off, and the failure is told to whoever sent it", async () => {
  const server = await startServer();
  for (const init of [ofEvents, {}]) {
    const sent = get({ port: server.port, agent: false });
    const { response } = await server.next();
    const body = openBody();
    const ended = expect(sendWebResponse(new Response(body.stream, init), response, defaultLimits)).rejects.toThrow(
      "broke",
    );
    body.push("half");
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(String((await once(answer, "data"))[0])).toBe("half");
    const failed = once(answer, "error");
    body.fail(new Error("it broke"));
    await ended;
    expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
    expect(body.stream.locked).toBe(false);
  }
});

test("M68: a body that fails before its first byte leaves room for another answer", async () => {
  const server = await startServer();
  const sent = get({ port: server.port, agent: false });
  const { response } = await server.next();
  const body = openBody();
  body.fail(new Error("it broke"));
  const answer = new Response(body.stream, { headers: { "Mcp-Session-Id": "abc" } });
  await sendWebResponse(answer, response, defaultLimits).catch((error: unknown) => respondError(response, error));
  const { status, headers } = await answerTo(sent);
  expect(status).toBe(500);
  expect(headers["mcp-session-id"]).toBe(undefined);
});

test("M68: a body that holds something else than bytes breaks the answer off", async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, defaultLimits);
  body.push(5 as unknown as Uint8Array);
  await expect(sent).rejects.toThrow(TypeError);
  await readAll(client);
});
