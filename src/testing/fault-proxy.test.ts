import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFaultProxy } from "./fault-proxy.ts";
import type { FaultProxy } from "./fault-proxy.ts";

let echo: Server;
let accepted: Socket[];
let received: string;
let proxy: FaultProxy;

beforeEach(async () => {
  accepted = [];
  received = "";
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on("data", (bytes) => {
      received += bytes.toString();
      socket.write(bytes);
    });
    socket.on("end", () => socket.end("bye"));
    socket.on("error", () => socket.destroy());
  });
  await once(echo.listen(0, "127.0.0.1"), "listening");
  proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: (echo.address() as AddressInfo).port } });
});

afterEach(async () => {
  await proxy.close();
  await proxy.close();
  for (const socket of accepted) socket.destroy();
  await new Promise((resolve) => echo.close(resolve));
});

/** A client through the proxy that records all bytes that it received. */
async function dial(): Promise<{ socket: Socket; text(): string; got(text: string): Promise<void> }> {
  const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  socket.on("data", (bytes) => (text += bytes.toString()));
  // Every connection that a test leaves open is reset when its proxy closes.
  socket.on("error", () => socket.destroy());
  await once(socket, "connect");
  return {
    socket,
    text: () => text,
    async got(expected) {
      while (!text.includes(expected)) await once(socket, "data");
    },
  };
}

/** A client whose connection is open all the way to the server. */
async function dialThrough(): ReturnType<typeof dial> {
  const client = await dial();
  client.socket.write("hello ");
  await client.got("hello ");
  return client;
}

async function serverGot(text: string): Promise<void> {
  while (!received.includes(text)) await once(accepted[0] as Socket, "data");
}

/** A round trip on a direct connection to the server: by then the proxy has forwarded its bytes. */
async function networkHasHadItsTime(): Promise<void> {
  const marker = connect((echo.address() as AddressInfo).port, "127.0.0.1");
  marker.end();
  await once(marker.resume(), "close");
}

test("bytes and ends of streams pass both ways unchanged", async () => {
  const client = await dialThrough();
  const large = "x".repeat(3_000_000);
  client.socket.end(large);
  await once(client.socket, "end");
  expect(client.text()).toBe(`hello ${large}bye`);
});

test("open connections are counted until they end", async () => {
  const client = await dialThrough();
  const other = await dialThrough();
  expect(proxy.connections).toBe(2);
  client.socket.end();
  other.socket.end();
  await Promise.all([once(client.socket, "close"), once(other.socket, "close")]);
  await networkHasHadItsTime();
  expect(proxy.connections).toBe(0);
});

test("held bytes arrive after the pause, in order and complete", async () => {
  const client = await dialThrough();
  proxy.pause();
  const large = "y".repeat(3_000_000);
  client.socket.write("one ");
  client.socket.write(large);
  const second = await dial();
  second.socket.write("second");
  await networkHasHadItsTime();
  expect(received).toBe("hello ");
  proxy.resume();
  await second.got("second");
  await client.got(`one ${large}`);
});

test("one direction is paused while the other flows", async () => {
  const client = await dialThrough();
  proxy.pause("toClient");
  client.socket.write("one ");
  await serverGot("one ");
  expect(client.text()).toBe("hello ");
  proxy.resume();
  await client.got("one ");

  proxy.pause("toTarget");
  client.socket.write("two ");
  accepted[0]?.write("pushed ");
  await client.got("pushed ");
  expect(received).toBe("hello one ");
});

test("dropped bytes never arrive, and later ones do", async () => {
  const client = await dialThrough();
  proxy.pause("toClient", "drop");
  client.socket.write("lost ");
  await serverGot("lost ");
  await networkHasHadItsTime();
  proxy.resume();
  client.socket.write("kept ");
  await client.got("kept ");
  expect(client.text()).toBe("hello kept ");
});

test("neither side notices during a pause that the other has disconnected", async () => {
  const client = await dialThrough();
  const events: string[] = [];
  for (const event of ["end", "error", "close"]) accepted[0]?.on(event, () => events.push(event));
  proxy.pause();
  client.socket.resetAndDestroy();
  await networkHasHadItsTime();
  expect(events).toEqual([]);
  expect(proxy.connections).toBe(1);
  const closed = new Promise((resolve) => accepted[0]?.once("close", resolve));
  proxy.resume();
  await closed;
});

test("a reset reaches both sides as a reset", async () => {
  const client = await dialThrough();
  const serverError = once(accepted[0] as Socket, "error");
  const clientError = once(client.socket, "error");
  proxy.reset();
  expect(await Promise.all([serverError, clientError])).toMatchObject([
    [{ code: "ECONNRESET" }],
    [{ code: "ECONNRESET" }],
  ]);
});

test("a side that resets its connection resets the other's", async () => {
  const client = await dialThrough();
  const clientError = once(client.socket, "error");
  accepted[0]?.resetAndDestroy();
  expect(await clientError).toMatchObject([{ code: "ECONNRESET" }]);
});

test("a side whose stream was already ended has its connection closed all the same", async () => {
  const client = await dialThrough();
  proxy.pause("toClient");
  accepted[0]?.end();
  const later = await dial();
  later.socket.write("so the end is read, too");
  await expect.poll(() => received).toContain("so the end is read, too");
  proxy.resume();
  proxy.reset();
  // This write fails, or the next one.
  const isClosed = () => client.socket.destroyed || !client.socket.write("to nobody");
  await expect.poll(isClosed).toBe(true);
});

test("while it refuses, new connections are reset and open ones go on", async () => {
  const client = await dialThrough();
  proxy.refuse(true);
  const refused = connect(proxy.port, "127.0.0.1");
  expect(await once(refused, "error")).toMatchObject([{ code: "ECONNRESET" }]);
  client.socket.write("still ");
  await client.got("still ");
  proxy.refuse(false);
  await dialThrough();
});

test("a target that does not listen resets the client", async () => {
  for (const socket of accepted) socket.destroy();
  await new Promise((resolve) => echo.close(resolve));
  const client = connect(proxy.port, "127.0.0.1");
  expect(await once(client, "error")).toMatchObject([{ code: "ECONNRESET" }]);
});

test("latency delays each way", async () => {
  const client = await dialThrough();
  proxy.setLatency(60);
  const start = performance.now();
  client.socket.write("late");
  await client.got("late");
  expect(performance.now() - start).toBeGreaterThanOrEqual(119);
});

test("a rate spreads bytes over time", async () => {
  const client = await dialThrough();
  proxy.setRate(100_000);
  const start = performance.now();
  client.socket.end("z".repeat(20_000));
  await once(client.socket, "end");
  expect(client.text()).toHaveLength("hello ".length + 20_000 + "bye".length);
  expect(performance.now() - start).toBeGreaterThanOrEqual(199);
});

test("a rate that is not above zero is refused by name", () => {
  for (const rate of [0, -1, NaN]) {
    expect(() => proxy.setRate(rate)).toThrow(`The rate ${rate} is not above zero.`);
  }
});
