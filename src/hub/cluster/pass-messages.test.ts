// Clients whose sockets are open at one hub, and whom another serves.
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect as connectSocket } from "node:net";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createQueueBudget } from "../backpressure/queue-budget.ts";
import { passedFor } from "../http/tunnel-socket.ts";
import { createServerLink } from "../sockets/socket-link.ts";
import { passMessages } from "./pass-messages.ts";
import { createTunnelPair } from "./tunnels.test-helper.ts";

const KiB = 1024;
const budget = createQueueBudget({ queuedBytesPerPrincipal: Infinity, queuedBytesInAll: Infinity }, () => {});
const limits = { queuedBytes: 4000 * KiB, frameBytes: 1000 * KiB, budget, whose: () => undefined };

interface Passing {
  readonly url: string;
  /** The client's socket at its home. */
  readonly atHome: Promise<readonly [WebSocket, IncomingMessage]>;
  /** How many connections the home has. */
  readonly open: () => number;
  readonly lose: () => void;
}

async function startPassing(): Promise<Passing> {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const atHome = once(server, "connection") as unknown as Passing["atHome"];
  const connections = new Set<Duplex>();
  const home = createServer().on("upgrade", (request, socket, head) =>
    server.handleUpgrade(request, socket, head, (accepted) => server.emit("connection", accepted, request)),
  );
  const tunnels = createTunnelPair((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    home.emit("connection", socket);
  });
  const front = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  onTestFinished(() => {
    for (const each of front.clients) each.terminate();
    front.close();
  });
  front.on("connection", (socket, request) => {
    const link = createServerLink(socket, { ...limits, below: request.socket, gathers: false });
    const about = { client: "192.0.2.1", isOwn: false };
    passMessages({ tunnel: tunnels.open(), request, about, limits }, link);
  });
  await once(front, "listening");
  const { port } = front.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/ws/core`, atHome, open: () => connections.size, lose: tunnels.lose };
}

async function connect(url: string): Promise<WebSocket> {
  const client = new WebSocket(url, ["one", "two"], {
    headers: { "X-Pagewire-Client": "203.0.113.9", "x-PAGEWIRE-own": "1", "X-Own": "own" },
    perMessageDeflate: false,
  });
  client.on("error", () => {});
  await once(client, "open");
  return client;
}

test("MH24: a client's messages and headers reach its home, and no word that only hubs say", async () => {
  const { url, atHome } = await startPassing();
  const client = await connect(url);
  client.send("Hello.");
  const [socket, request] = await atHome;
  const [heard] = (await once(socket, "message")) as [Buffer];
  const { headers } = request;
  expect([String(heard), passedFor(request), headers["x-pagewire-own"], headers["x-own"]]).toEqual([
    "Hello.",
    "192.0.2.1",
    undefined,
    "own",
  ]);
  expect(headers["sec-websocket-protocol"]).toBe("one,two");
  socket.close(4001, "enough");
  expect(await once(client, "close")).toEqual([4001, Buffer.from("enough")]);
});

test("MH24: a client is passed on whatever stands in its address", async () => {
  const { url, atHome } = await startPassing();
  const { port, host } = new URL(url);
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  const socket = connectSocket(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const words = `Host: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13`;
  socket.write(`GET /ws/core?a=%20|{}#b HTTP/1.1\r\n${words}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
  const [, request] = await atHome;
  expect(request.url).toMatch(/^\/ws\/core\?a=%20/);
});

test("MH25: a client that does not read holds its home back, and gets all once it reads", async () => {
  const { url, atHome } = await startPassing();
  const client = await connect(url);
  const [home] = await atHome;
  client.pause();
  const message = "x".repeat(500 * KiB);
  const count = 100;
  for (let at = 0; at < count; at++) home.send(message);
  let before = Infinity;
  await vi.waitFor(
    () => {
      const now = home.bufferedAmount;
      const isStill = now === before;
      before = now;
      expect(isStill).toBe(true);
    },
    { interval: 300, timeout: 20_000 },
  );
  expect(before).toBeGreaterThan(10_000 * KiB);
  expect(client.readyState).toBe(client.OPEN);
  let got = 0;
  client.on("message", () => got++);
  client.resume();
  await vi.waitFor(() => expect(got).toBe(count), { timeout: 20_000 });
});

test("MH25: a client that sends more than its home reads is closed as too slow", async () => {
  const { url, atHome, open } = await startPassing();
  const client = await connect(url);
  const [home] = await atHome;
  home.pause();
  const message = "x".repeat(500 * KiB);
  for (let at = 0; at < 20; at++) client.send(message);
  const [code, reason] = (await once(client, "close")) as [number, Buffer];
  expect([code, String(reason)]).toEqual([4021, "too-slow"]);
  home.resume();
  await vi.waitFor(() => expect(open()).toBe(0));
});

test("MH26: a client whose home is lost is sent away, and one that leaves is missed there", async () => {
  const first = await startPassing();
  const client = await connect(first.url);
  await first.atHome;
  first.lose();
  const [, reason] = (await once(client, "close")) as [number, Buffer];
  expect(String(reason)).toMatch("going-away");
  const second = await startPassing();
  const leaving = await connect(second.url);
  await second.atHome;
  leaving.terminate();
  await vi.waitFor(() => expect(second.open()).toBe(0));
});
