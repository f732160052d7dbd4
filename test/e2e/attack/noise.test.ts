// Input that is no request and no frame, or arrives at the wrong time: random bytes, and thousands of headers.
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { fromAgent, fromPage } from "pagewire/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentHelloOf } from "../../../src/hub/test-support/agent.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { connectPage, helloOf, offerOf } from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, openSocket, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { upgradeLines } from "../../../src/hub/test-support/raw.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let hub: LocalHub;
/** Another person's page, which is served all the while. */
let page: TestPage;

beforeEach(async () => {
  hub = await startLocalHub();
  page = await connectPage(hub.url, { tab: "good", tools: ["good"] });
});

afterEach(async () => {
  closeSockets();
  await hub.close();
});

const callGood = async () => (await callTool(hub, "good")).status;

function expectWell(): void {
  expect(page.link.open).toBe(true);
  expect(hub.output()).not.toContain('"level":"error"');
}

type Data = string | Uint8Array;

const others = "at worst their own connection closed, others answered";

const ids = fc.constantFrom("1", "2", "tab-1", "", "x".repeat(200));
const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.integer(), ids);

/** Frames of a table as a careless or malicious peer makes them: valid types, and arbitrary fields. */
function framesOf(table: Readonly<Record<string, object>>): fc.Arbitrary<string> {
  const names = [...new Set(Object.values(table).flatMap((fields) => Object.keys(fields)))];
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
  const type = fc.constantFrom(...Object.keys(table), "unknown", "__proto__", "constructor");
  const payload = fc.oneof(fc.constant(""), fc.json(), fc.string(), fc.constant(offerOf()));
  return fc
    .tuple(type, fields, payload)
    .map(([name, given, text]) => `${JSON.stringify({ ...given, type: name })}\n${text}`);
}

const noise: fc.Arbitrary<Data> = fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 300 }), fc.json());
const goodFrame: fc.Arbitrary<Data> = fc.constantFrom<Data>(
  JSON.stringify(helloOf({})),
  `{"type":"offer"}\n${offerOf()}`,
  '{"type":"call","id":"1","method":"tools/call","name":"work"}\n{}',
  '{"type":"list","id":"1","what":"tabs"}',
  '{"type":"watch","on":true}',
);

/** The messages of one hostile connection. */
interface Attack {
  readonly path: string;
  readonly protocols: readonly string[];
  readonly messages: readonly Data[];
}

function attacks(): fc.Arbitrary<Attack> {
  const hellos = [helloOf({ tab: "hostile" }), agentHelloOf({ token: hub.token })].map((hello) =>
    JSON.stringify(hello),
  );
  const message = fc.oneof(noise, goodFrame, framesOf(fromPage), framesOf(fromAgent), fc.constantFrom(...hellos));
  const prefix = fc.constantFrom("o+1:", "o+2:", "m+1:", "m+2:", "m-1:", "c+1:", "x", "o-1:", "m+99999999999999999:");
  const inChannel = fc.tuple(prefix, message).map(([start, rest]) => (typeof rest === "string" ? start + rest : rest));
  const list = (one: fc.Arbitrary<Data>) => fc.array(one, { minLength: 1, maxLength: 12 });
  const withHello = (hello: string) => list(message).map((messages) => [hello, ...messages]);
  return fc.oneof(
    fc.record({
      path: fc.constant("/page"),
      protocols: fc.constant([]),
      messages: fc.oneof(list(message), withHello(hellos[0] ?? "")),
    }),
    fc.record({
      path: fc.constant("/agent"),
      protocols: fc.constant([]),
      messages: fc.oneof(list(message), withHello(hellos[1] ?? "")),
    }),
    fc.record({
      path: fc.constant("/page"),
      protocols: fc.constant(["pagewire.channels.1"]),
      messages: list(inChannel),
    }),
  );
}

/** Sends everything; resolves when the hub has read it, or has closed the connection. */
async function attack({ path, protocols, messages }: Attack): Promise<void> {
  const { socket } = await openSocket(`${hub.url}${path}`, {
    protocols: [...protocols],
    headers: path === "/page" ? { Origin: shop } : {},
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const taken = new Promise((resolve) => socket.once("pong", resolve));
  for (const message of messages) socket.send(message);
  socket.ping();
  await Promise.race([taken, closed]);
  socket.terminate();
}

test("H42: whatever comes over a socket, the hub answers everybody else", async () => {
  const tally = startTally(
    "noise",
    "sockets of pages, agents and channels that send noise, broken frames and good frames at the wrong time",
    others,
  );
  await fc.assert(
    fc.asyncProperty(attacks(), async (given) => {
      await attack(given);
      tally.add(JSON.stringify(given), await callGood(), 200);
    }),
    { numRuns: 400 },
  );
  expectWell();
  tally.close();
});

test("H42: whatever comes over a connection, the hub answers everybody else", async () => {
  const tally = startTally(
    "noise",
    "connections that send noise, alone and after the beginning of a request or of an upgrade",
    others,
  );
  const host = `Host: 127.0.0.1:${hub.port}`;
  const starts = [
    "",
    `GET /healthz HTTP/1.1\r\n${host}\r\n`,
    `POST /api/call/work HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${hub.token}\r\nContent-Type: application/json\r\n`,
    `POST /api/call/work HTTP/1.1\r\n${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `GET /page HTTP/1.1\r\n${host}\r\nOrigin: ${shop}\r\n${upgradeLines.join("\r\n")}\r\n\r\n`,
    `GET /agent HTTP/1.1\r\n${host}\r\nOrigin: ${hub.url}\r\n${upgradeLines.join("\r\n")}\r\n\r\n`,
    `GET /page HTTP/1.1\r\n${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: `,
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 400 }), async (start, bytes) => {
      const socket = connect(hub.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.end(Buffer.concat([Buffer.from(start), bytes])).resume();
      await once(socket, "close").catch(() => undefined);
      tally.add(start + Buffer.from(bytes).toString("hex"), await callGood(), 200);
    }),
    { numRuns: 300 },
  );
  expectWell();
  tally.close();
});

test("H42: thousands of headers, and a header larger than any may be, are refused", async () => {
  const tally = startTally("noise", "requests and upgrades with thousands of headers, or one of 100 KB", others);
  const many = Array.from({ length: 3000 }, (_, index) => `H${index}: 1`);
  const [spaces, commas] = [`X: ${" ".repeat(60_000)}x`, `Sec-WebSocket-Protocol: ${"a,".repeat(5000)}`];
  const slow = `Sec-WebSocket-Extensions: ${"permessage-deflate; a=".repeat(500)}`;
  for (const headers of [many, [`X: ${"x".repeat(100_000)}`], [commas], [spaces], [slow]]) {
    for (const path of ["/page", "/agent", "/ai-agent", "/healthz", "/mcp"]) {
      const socket = connect(hub.port, "127.0.0.1");
      socket.on("error", () => {});
      const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${hub.port}`, ...headers, ...upgradeLines];
      socket.end(`${lines.join("\r\n")}\r\n\r\n`).resume();
      await once(socket, "close").catch(() => undefined);
      tally.add(`${path} ${headers[0]?.slice(0, 40)}`, await callGood(), 200);
    }
  }
  expectWell();
  tally.close();
});
