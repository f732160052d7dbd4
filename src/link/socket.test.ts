import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFaultProxy, linkContract, recordLink } from "../testing/index.ts";
import { closeCodes, closeReason, cutOff } from "../wire/index.ts";
import { WebSocket } from "ws";
import { startSocketServer } from "./socket-pair.test-helper.ts";
import type { SocketServer } from "./socket-pair.test-helper.ts";
import { createSocketLink } from "./socket.ts";

let sockets: SocketServer;

beforeAll(async () => {
  sockets = await startSocketServer();
});
afterAll(() => sockets.close());

linkContract(
  "socket",
  async () => {
    const { client, accepted } = await sockets.pair();
    return { left: createSocketLink(client), right: createSocketLink(accepted) };
  },
  { bytes: true },
);

linkContract(
  "socket, from the server's side",
  async () => {
    const { client, accepted } = await sockets.pair();
    return { left: createSocketLink(accepted), right: createSocketLink(client) };
  },
  { bytes: true },
);

test("messages sent while a socket connects are kept and sent in order once it is open", async () => {
  const connection = once(sockets.server, "connection") as Promise<[WebSocket]>;
  const client = new WebSocket(sockets.url);
  const link = createSocketLink(client);
  link.send("first");
  link.send(Uint8Array.of(2));
  expect(link.queuedBytes).toBe(6);
  const record = recordLink(createSocketLink((await connection)[0]));
  await once(client, "open");
  link.send("third");
  expect(await record.received(3)).toEqual(["first", Uint8Array.of(2), "third"]);
  expect(link.queuedBytes).toBe(0);
  link.close();
});

test("a link that is closed while its socket connects ends with its reason, and the server receives no message", async () => {
  const client = new WebSocket(sockets.url);
  const link = createSocketLink(client);
  const record = recordLink(link);
  link.send("never sent");
  link.close(closeReason("tab-replaced"));
  expect(await record.closed).toEqual(closeReason("tab-replaced"));
  await new Promise((resolve) => client.once("close", resolve));
  expect(record.closings).toHaveLength(1);
});

test("L22: a code that scripts may not send goes out as 1000, and the reason keeps the original one", async () => {
  for (const code of [1001, 1006, 1011, 2999, 5000]) {
    const { client, accepted } = await sockets.pair();
    const [atClient, atServer] = [recordLink(createSocketLink(client)), recordLink(createSocketLink(accepted))];
    const link = createSocketLink(client);
    link.close({ code, reason: "going-away" });
    expect(await atServer.closed).toEqual({ code: closeCodes.normal, reason: "going-away" });
    await atClient.closed;
  }
});

test("L22: the codes 1000 and 3000 to 4999 go out unchanged", async () => {
  for (const code of [1000, 3000, 4000, 4999]) {
    const { client, accepted } = await sockets.pair();
    const record = recordLink(createSocketLink(accepted));
    createSocketLink(client).close({ code, reason: "" });
    expect(await record.closed).toEqual({ code, reason: "" });
  }
});

test("L23: a connection that breaks closes the link as cut off, on both sides", async () => {
  const proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: sockets.port } });
  const connection = once(sockets.server, "connection") as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${proxy.port}/`);
  const atClient = recordLink(createSocketLink(client));
  const atServer = recordLink(createSocketLink((await connection)[0]));
  await once(client, "open");
  proxy.reset();
  expect(await atClient.closed).toEqual(cutOff);
  expect(await atServer.closed).toEqual(cutOff);
  await proxy.close();
});

test("L24: a peer that does not read is closed as too slow, at the limit queuedBytes", async () => {
  const { client, accepted } = await sockets.pair();
  client.pause();
  const link = createSocketLink(accepted, { limits: { queuedBytes: 1_000_000 } });
  const record = recordLink(link);
  const chunk = "x".repeat(100_000);
  let most = 0;
  for (let sent = 0; sent < 1000 && link.open; sent++) {
    link.send(chunk);
    most = Math.max(most, link.queuedBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await record.closed).toEqual(closeReason("too-slow"));
  expect(most).toBeGreaterThan(800_000);
  expect(most).toBeLessThanOrEqual(1_000_000);
  expect(link.queuedBytes).toBe(0);
  client.terminate();
});

test("L24: the limit queuedBytes includes messages that wait for a connecting socket", async () => {
  const exact = createSocketLink(new WebSocket(sockets.url), { limits: { queuedBytes: 10 } });
  exact.send("0123456789");
  expect([exact.open, exact.queuedBytes]).toEqual([true, 10]);
  exact.send("x");
  expect(exact.open).toBe(false);
  expect(await recordLink(exact).closed).toEqual(closeReason("too-slow"));
});
