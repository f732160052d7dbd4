// Input of pages, models and clients that would take for ever to evaluate, while another page is called all the time.
import { routes } from "../../../src/hub/http/routes.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { startCore } from "../../../src/hub/doors/core/core.test-helper.ts";
import { modern, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { pathAt } from "../../../src/hub/guard/test-support/attempts.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { askRaw, upgradeLines } from "../../../src/hub/test-support/raw.test-helper.ts";
import type { PageServer } from "../support/page-server.ts";
import { serveObedientModel } from "../support/serve-obedient-model.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

/** Each attack would take minutes, or many times more than a second; a concurrent call is delayed by none of it. */
const hangs = 5000;

let hub: LocalHub;
let model: PageServer;
let stopCalling: () => Promise<void>;

beforeEach(async () => {
  model = await serveObedientModel();
  const env = { OPENAI_API_KEY: "a key", OPENAI_BASE_URL: model.origin };
  hub = await startLocalHub(["--no-demo", "--model", "openai/obedient"], { env });
  await connectPage(hub.url, { tab: "good", tools: ["good"] });
  let isOver = false;
  let slowest = 0;
  const calling = (async () => {
    while (!isOver) {
      const start = performance.now();
      const { status } = await callTool(hub, "good");
      slowest = Math.max(slowest, status === 200 ? performance.now() - start : Infinity);
    }
  })();
  stopCalling = async () => {
    isOver = true;
    await calling;
    if (slowest > hangs) throw new Error(`A call of another page took ${Math.round(slowest)} ms.`);
  };
});

afterEach(async () => {
  closeSockets();
  await hub.close();
  await model.close();
});

const slowText = `${"a".repeat(48)}!`;
const given = { text: slowText };
const slow = { type: "string", pattern: "^(a+)+$" };
/** Each definition refers twice to the next. */
const everDeeper = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`a${at}`, { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/a${at + 1}` })) }]),
);
const schemas: Readonly<Record<string, object>> = {
  "a pattern": { properties: { text: slow } },
  "a pattern of alternatives": { properties: { text: { type: "string", pattern: "^(a|a)*$" } } },
  "a pattern that looks ahead": { properties: { text: { type: "string", pattern: "^(?=(a+)+$).*$" } } },
  "patterns for names": { propertyNames: { pattern: "^(.*)*x$" }, patternProperties: { "^(t+e*)+y$": slow } },
  "a pattern somewhere deep": { allOf: [{ anyOf: [{ not: { properties: { text: slow } } }] }] },
  "references without an end": { $defs: { ...everDeeper, a40: slow }, properties: { text: { $ref: "#/$defs/a0" } } },
  "a reference to itself": { $ref: "#", properties: { text: { $ref: "#/properties/text" } } },
};

test("a page's schema that would take for ever is not evaluated by the hub, whoever calls the tool", async () => {
  const tools = Object.values(schemas).map((schema, at) => ({
    name: `work${at}`,
    inputSchema: { type: "object" as const, ...schema },
    annotations: { readOnlyHint: true },
  }));
  const page = await connectPage(hub.url, { tab: "hostile", tools });
  const agent = await connectAgent(hub.url, { token: hub.token });
  const tally = startTally(
    "evaluation",
    "schemas with patterns and references that take for ever, called by HTTP, MCP, a socket and the hub's own model",
    "given to the page",
  );
  for (const [at, name] of Object.keys(schemas).entries()) {
    const tool = `work${at}`;
    const before = page.calls.length;
    await callTool(hub, tool, { body: JSON.stringify(given) });
    await sendRaw(hub, modern("tools/call", { name: tool, arguments: given })).whole();
    await agent.call(tool, { id: tool, arguments: JSON.stringify(given) });
    const core = await startCore(hub.url, { origin: shop });
    await core.run("send", `«call ${tool} ${JSON.stringify(given)}»`, { tools: "page" });
    for (let way = 0; way < 4; way++) {
      const arrived = page.calls[before + way]?.arguments;
      tally.add(`${name}, ${way}`, arrived === JSON.stringify(given) ? "given to the page" : arrived);
    }
  }
  await stopCalling();
  tally.close();
});

test("a question whose answer would take for ever to check is answered by the client alone", async () => {
  const page = await connectPage(hub.url, { tab: "hostile", tools: ["asks"], handle: byHand });
  const tally = startTally(
    "evaluation",
    "questions to an MCP client whose schema takes for ever, and their answers",
    "given to the page",
  );
  const capabilities = { elicitation: {} };
  for (const [name, schema] of Object.entries(schemas)) {
    const asked = sendRaw(hub, modern("tools/call", { name: "asks", arguments: {} }, { capabilities }));
    const { id } = await page.nextCall();
    page.ack(id);
    const requestedSchema = { type: "object", ...schema };
    page.send(
      { type: "ask", id, ask: "code", method: "elicitation/create" },
      JSON.stringify({ message: "The code?", requestedSchema }),
    );
    const [message] = (await asked.whole()).messages;
    const requestState = message?.result?.["requestState"];
    const inputResponses = { code: { action: "accept", content: given } };
    const params = { name: "asks", requestState, inputResponses };
    const answered = sendRaw(hub, modern("tools/call", params, { id: 2, capabilities })).whole();
    if (requestState !== undefined) await page.next("answer");
    page.result(id, plainResult);
    await answered;
    tally.add(name, requestState === undefined ? message : "given to the page");
  }
  await stopCalling();
  tally.close();
});

const fields = [
  ...["Origin", "Authorization", "Cookie", "User-Agent", "Accept", "Content-Type", "Sec-WebSocket-Protocol"],
  ...[
    "Sec-WebSocket-Extensions",
    "Sec-WebSocket-Key",
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "Mcp-Name",
    "Last-Event-ID",
  ],
  ...["Idempotency-Key", "Pagewire-Tab", "Pagewire-Timeout", "traceparent", "tracestate", "baggage", "X-Forwarded-For"],
  ...["If-None-Match", "Accept-Encoding", "Range", "x-api-key"],
];
/** The inputs that slow patterns are slow at: repetition with a wrong end, nesting, separators. */
const longs = ["a", " ", "%", "/", ",", ";=", "a.", "(", '"', "-0", "=\t", "&a="].map(
  (part) => `${part.repeat(12_000 / part.length)}!`,
);

test("H42: long strings of every kind in every field and path of every route hold up nobody", async () => {
  const tally = startTally(
    "evaluation",
    "12 KB of one repeated character in every header, path and query of every route and upgrade",
    "answered",
  );
  const attempts = routes.flatMap((route) => {
    const [path, auth] = [pathAt(route), `Authorization: Bearer ${hub.token}`];
    const target = (long: string) => long.replaceAll(/[^!-~]/g, "+");
    const inHeaders = fields.map((field, at) => ({
      path,
      lines: [
        ...(field === "Authorization" ? [] : [auth]),
        `${field}: ${field === "Authorization" ? "Bearer " : ""}${longs[at % longs.length]}`,
      ],
    }));
    const inPaths = longs.slice(0, 3).flatMap((long) => [
      { path: `${path}${target(long)}`, lines: [auth] },
      { path: `${path}?a=${target(long)}`, lines: [auth] },
    ]);
    return [...inHeaders, ...inPaths].map((one) => ({ route, ...one }));
  });
  const left = [...attempts];
  const one = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { route, path, lines } = next;
      const body =
        route.method === "POST"
          ? [
              "Content-Length: 2",
              ...(lines.some((line) => line.startsWith("Content-Type")) ? [] : ["Content-Type: application/json"]),
            ]
          : [];
      const all = [
        `${route.method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${hub.port}`,
        ...lines,
        ...(route.isUpgrade ? upgradeLines : body),
      ];
      const { status } = await askRaw(hub.port, `${all.join("\r\n")}\r\n\r\n${route.method === "POST" ? "{}" : ""}`);
      tally.add(
        `${route.method} ${path.slice(0, 40)}, ${lines.at(-1)?.slice(0, 40)}`,
        status > 0 && status !== 500 ? "answered" : status,
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  expect(hub.output()).not.toContain('"level":"error"');
  await stopCalling();
  tally.close();
});
