import { once } from "node:events";
import { expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import {
  connectClient,
  megabyte,
  ofEvents,
  openBody,
  readAll,
  readUntil,
  startServer,
} from "./web-exchange.test-helper.ts";
import { sendWebResponse } from "./web-exchange.ts";

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

test("M65: a client is cut off as well when the stream waits behind another answer on its connection", async () => {
  const server = await startServer();
  const client = await connectClient(server, "GET / HTTP/1.1\r\nHost: hub\r\n\r\n".repeat(2));
  await server.next();
  const { response } = await server.next();
  const body = openBody();
  const sent = sendWebResponse(new Response(body.stream, ofEvents), response, { ...defaultLimits, queuedBytes: 10 });
  for (let count = 0; count < 3; count++) body.push(new Uint8Array(megabyte));
  await expect(sent).rejects.toMatchObject({ code: "too-slow" });
  await Promise.all([body.cancelled, readAll(client)]);
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

test(
  "M67: a client that reads nothing for `requestTime` is cut off, whether more is to come or not",
  { timeout: 30_000 },
  async () => {
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
  },
);

test("M67: a client that reads slowly gets its answer, however long it takes", { timeout: 30_000 }, async () => {
  const server = await startServer();
  const client = await connectClient(server);
  const { response } = await server.next();
  const requestTime = 1000;
  const size = 32 * megabyte;
  const sent = sendWebResponse(new Response(new Uint8Array(size)), response, { ...defaultLimits, requestTime });
  const start = performance.now();
  let read = 0;
  client.on("data", (part: Buffer) => {
    read += part.length;
    if (performance.now() - start > 1.5 * requestTime) return;
    client.pause();
    setTimeout(() => client.resume(), 10);
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
