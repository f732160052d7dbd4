import { once } from "node:events";
import { get, request as ask } from "node:http";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import { respondError } from "../../http/respond.ts";
import { collectGarbage } from "../../held-bytes.test-helper.ts";
import { answerTo } from "../../http.test-helper.ts";
import {
  connectClient,
  megabyte,
  ofEvents,
  openBody,
  readAll,
  readUntil,
  startServer,
} from "./web-exchange.test-helper.ts";
import { sendWebResponse, toWebRequest } from "./web-exchange.ts";

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
  const server = await startServer();
  const client = await connectClient(server);
  const { request, response } = await server.next();
  const { signal } = toWebRequest(request, response);
  for (let round = 0; round < 5; round++) {
    collectGarbage();
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
  const limits = { ...defaultLimits, requestTime: 10 };
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, limits);
  await readUntil(client, /text\/event-stream[^]*\r\n\r\n/);
  body.push("data: first\n\n");
  await readUntil(client, /first/);
  // Meanwhile the time of a client is up that reads nothing.
  await connectClient(server);
  const large = new Response("x".repeat(16 * megabyte));
  await expect(sendWebResponse(large, (await server.next()).response, limits)).rejects.toThrow("requestTime");
  body.push("data: later\n\n");
  await readUntil(client, /later/);
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
  for (const wrong of [5, null, {}]) {
    const client = await connectClient(server);
    const { response } = await server.next();
    const body = openBody();
    const sent = sendWebResponse(new Response(body.stream, ofEvents), response, defaultLimits);
    body.push(wrong as unknown as Uint8Array);
    await expect(sent).rejects.toThrow(TypeError);
    await Promise.all([body.cancelled, readAll(client)]);
  }
});
