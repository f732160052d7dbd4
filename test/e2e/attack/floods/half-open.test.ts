// Thousands of connections that never become a request, from many addresses, while other clients connect.
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../../../src/hub/test-support/agent.test-helper.ts";
import { connectPage } from "../../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../../src/hub/test-support/peer.test-helper.ts";
import { upgradeLines } from "../../../../src/hub/test-support/raw.test-helper.ts";
import { besiegeHub } from "../besieged-hub.test-helper.ts";
import type { BesiegedHub } from "../besieged-hub.test-helper.ts";
import { growthUnder, noteFlood } from "./flood.test-helper.ts";

let besieged: BesiegedHub;

beforeEach(async () => {
  besieged = await besiegeHub();
});

afterEach(async () => {
  closeSockets();
  await besieged.close();
});

const many = 8000;
const addresses = 40;
const atOnce = 200;

/** The bytes that each kind sends before it falls silent. */
const beginnings = [
  "",
  "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-More: ",
  "POST /api/call/work HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n",
  `GET /agent HTTP/1.1\r\n${upgradeLines.join("\r\n")}\r\n`,
];

async function openHalf(at: number): Promise<Socket> {
  const { port } = besieged.hub;
  const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (at % addresses)}` });
  await once(socket, "connect");
  // The hub may end the connection with a reset.
  socket.on("error", () => {}).resume();
  socket.write(beginnings[at % beginnings.length] ?? "");
  return socket;
}

test("8,000 half-open connections keep out no client with a credential, and each is closed", async () => {
  const sockets: Socket[] = [];
  const { url } = besieged.hub;
  const [pageToken, { token }] = [await besieged.pageToken("alice"), await besieged.door("alice")];
  let visits = 0;
  const growth = await growthUnder(besieged, async () => {
    while (sockets.length < many)
      sockets.push(...(await Promise.all(Array.from({ length: atOnce }, (_, at) => openHalf(sockets.length + at)))));
    for (; sockets.some(({ destroyed }) => !destroyed); visits++) {
      const page = await connectPage(url, { token: pageToken });
      const agent = await connectAgent(url, { token });
      expect((await agent.call("work", { id: "1" })).frame.type).toBe("result");
      for (const { socket } of [page, agent]) socket.terminate();
    }
  });
  expect(visits).toBeGreaterThan(0);
  noteFlood("half-open connections from 40 addresses: silent, or with headers that never end", sockets.length, growth);
});
