import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createSocketLink } from "../../link/index.ts";
import { linkContract, recordLink } from "../../testing/index.ts";
import { createQueueBudget } from "../backpressure/queue-budget.ts";
import { createServerLink } from "./socket-link.ts";

let server: WebSocketServer;
const bounds = { queuedBytesPerPrincipal: Infinity, queuedBytesInAll: Infinity };
const limits = {
  queuedBytes: 32 * 1024 * 1024,
  budget: createQueueBudget(bounds, () => {}),
  whose: () => undefined,
};

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function pair({ gathers = false } = {}) {
  const connection = once(server, "connection") as Promise<[WebSocket, IncomingMessage]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  const [[accepted, { socket }]] = await Promise.all([connection, once(client, "open")]);
  return {
    client,
    near: createServerLink(accepted, { ...limits, below: socket, gathers }),
    far: createSocketLink(client),
  };
}

for (const gathers of [false, true]) {
  linkContract(
    `a hub's socket, sending${gathers ? " together what is sent in one turn" : ""}`,
    async () => {
      const { near, far } = await pair({ gathers });
      return { left: near, right: far };
    },
    { bytes: false },
  );
}

test("small messages come as text, and large ones as the bytes that they are", async () => {
  const { client, near } = await pair();
  const record = recordLink(near);
  client.send("ä".repeat(4096));
  client.send("ä".repeat(4097));
  const [small, large] = await record.received(2);
  expect(small).toBe("ä".repeat(4096));
  expect(large).toEqual(Buffer.from("ä".repeat(4097)));
  near.close();
});

test("a message in bytes is read as text, with a sign in the place of what is none", async () => {
  const { client, near } = await pair();
  const record = recordLink(near);
  client.send(Buffer.from([0x61, 0xff, 0x62]), { binary: true });
  client.send(Buffer.concat([Buffer.alloc(20_000, 0x61), Buffer.from([0xff])]), { binary: true });
  const [small, large] = await record.received(2);
  expect(small).toBe("a\ufffdb");
  expect(large).toBe(`${"a".repeat(20_000)}\ufffd`);
  near.close();
});

test("what is sent as bytes arrives as text", async () => {
  const { near, far } = await pair();
  const record = recordLink(far);
  near.send(Buffer.from("語"));
  expect(await record.received(1)).toEqual(["語"]);
  near.close();
});
