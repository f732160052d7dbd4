import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createFakeClock, recordLink } from "../testing/index.ts";
import { PagewireError } from "../wire/index.ts";
import { connectSocket } from "./connect-socket.ts";
import { startSocketServer } from "./socket-pair.test-helper.ts";
import type { SocketServer } from "./socket-pair.test-helper.ts";
import { createSocketLink } from "./socket.ts";

let sockets: SocketServer;

beforeAll(async () => {
  sockets = await startSocketServer();
});
afterAll(() => sockets.close());

async function failureOf(promise: Promise<unknown>): Promise<PagewireError> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (!PagewireError.isInstance(error)) throw new Error("This should have failed with an error of Pagewire.");
  return error;
}

test("a connection is returned open, and the server's first messages are not lost", async () => {
  sockets.server.once("connection", (socket) => createSocketLink(socket).send("at once"));
  const link = await connectSocket({ url: sockets.url, WebSocket });
  expect(link.open).toBe(true);
  expect(await recordLink(link).received(1)).toEqual(["at once"]);
  link.close();
});

test("protocols and headers reach the server, and compression is off", async () => {
  const connection = once(sockets.server, "connection") as Promise<[WebSocket, IncomingMessage]>;
  const headers = { authorization: "Bearer token" };
  const link = await connectSocket({ url: sockets.url, WebSocket, protocols: ["pagewire"], headers });
  const [socket, request] = await connection;
  expect(socket.protocol).toBe("pagewire");
  expect(request.headers.authorization).toBe("Bearer token");
  expect(request.headers["sec-websocket-extensions"]).toBeUndefined();
  link.close();
});

test("an attempt without a listener fails with hub-unreachable, naming the address", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise((resolve) => server.close(resolve));
  const error = await failureOf(connectSocket({ url, WebSocket }));
  expect(error.code).toBe("hub-unreachable");
  expect(error.message).toContain(url);
  expect(error.message).toContain("ECONNREFUSED");
});

test("a server that refuses the upgrade is hub-unreachable", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", verifyClient: () => false });
  await once(server, "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const error = await failureOf(connectSocket({ url, WebSocket }));
  expect([error.code, error.message.includes("401")]).toEqual(["hub-unreachable", true]);
  await new Promise((resolve) => server.close(resolve));
});

test("an attempt without an answer times out, and its connection is closed", async () => {
  const silent = createServer();
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const accepted = once(silent, "connection");
  const clock = createFakeClock();
  const attempt = failureOf(connectSocket({ url, WebSocket, clock, timeout: 3000 }));
  const [socket] = (await accepted) as [Socket];
  const ended = once(socket.resume(), "close");
  await clock.advance(2999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  const error = await attempt;
  expect(error.code).toBe("hub-unreachable");
  expect(error.message).toContain("no answer within 3000 milliseconds");
  await ended;
  silent.close();
});

test("neither a failed nor a successful attempt leaves a timer", async () => {
  const clock = createFakeClock();
  const link = await connectSocket({ url: sockets.url, WebSocket, clock });
  expect(clock.pending).toBe(0);
  link.close();
  await failureOf(connectSocket({ url: "ws://127.0.0.1:1/", WebSocket, clock }));
  expect(clock.pending).toBe(0);
});

test("an invalid socket address is refused as options-invalid", async () => {
  const error = await failureOf(connectSocket({ url: "nowhere", WebSocket }));
  expect(error.code).toBe("options-invalid");
  expect(error.message).toContain('"nowhere"');
});
