import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { modern, modernVersion, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawRequest, RawSession } from "./test-support/raw-mcp.test-helper.ts";

const call = modern("tools/call", { name: "work", arguments: {} });
const { _meta: meta, ...plainParams } = call.body.params;
const older = { jsonrpc: "2.0", id: 1, method: "tools/call", params: plainParams };
const meaning = (name: string) => `io.modelcontextprotocol/${name}`;

interface Attempt {
  readonly request: RawRequest;
  readonly status: number | readonly number[];
  /** The JSON-RPC or MCP error code, if the door itself answers. */
  readonly code?: number;
}

type Attempts = Readonly<Record<string, Attempt>>;

const withBody = (body: unknown): RawRequest => ({ ...call, body });
const withHeaders = (headers: Readonly<Record<string, string>>): RawRequest => ({
  ...call,
  headers: { ...call.headers, ...headers },
});
const withMeta = (more: object): RawRequest =>
  withBody({ ...call.body, params: { ...plainParams, _meta: { ...meta, ...more } } });
const withId = (id: string): RawRequest => withBody(JSON.stringify(call.body).replace('"id":1', `"id":${id}`));

/** Sends a request that must be refused; the page must not see it, and the hub must still work afterwards. */
async function expectRefusals(what: string, attempts: Attempts, { hub, page }: { hub: TestHub; page: TestPage }) {
  for (const [name, { request, status, code }] of Object.entries(attempts)) {
    const answer = await sendRaw(hub, request).whole();
    expect([status].flat(), name).toContain(answer.status);
    expect([undefined, answer.messages[0]?.error?.code], name).toContain(code);
    expect(page.calls, name).toEqual([]);
  }
  const honest = await sendRaw(hub, call).whole();
  expect(honest.messages).toMatchObject([{ id: 1, result: JSON.parse(plainResult) }]);
  expect(hub.records.filter(({ level }) => level === "error")).toEqual([]);
  recordFault("mcp", {
    fault: what,
    expected: "refused, nothing runs, the next request is served",
    observed: "refused, nothing runs, the next request is served",
    count: Object.keys(attempts).length,
  });
}

async function start(limits = {}) {
  const hub = await startHub({ limits });
  return { hub, page: await connectPage(hub.url) };
}

test("only revisions that had batches take them; in every other nothing of a batch runs", async () => {
  const { hub, page } = await start();
  const twice = [older, { ...older, id: 2 }];
  for (const version of ["2025-11-25", "2025-06-18"]) {
    const session = await openSession(hub, { version });
    expect((await session.send(twice).whole()).status).toBe(400);
  }
  for (const body of [[call.body], [call.body, call.body], [], [[]], [1], [null], [call.body, older]]) {
    expect((await sendRaw(hub, withBody(body)).whole()).status).toBe(400);
    expect((await sendRaw(hub, { body }).whole()).status).toBe(400);
  }
  expect(page.calls).toEqual([]);
  for (const version of ["2025-03-26", "2024-11-05"]) {
    const session = await openSession(hub, { version });
    const { messages } = await session.send(twice).whole();
    expect(new Set(messages.map(({ id }) => id))).toEqual(new Set([1, 2]));
    // A batch that is too large, and a batch with an invalid message.
    expect((await session.send(Array.from({ length: 101 }, () => older)).whole()).status).toBe(400);
    expect((await session.send([older, 5]).whole()).status).toBe(400);
  }
  expect(page.calls).toHaveLength(4);
});

test("a request whose headers and body contradict each other is refused", async () => {
  const header = (name: string, value: string) => withHeaders({ [name]: value });
  const mismatch = { status: 400, code: -32_020 };
  const attempts: Attempts = {
    "no version": { request: header("MCP-Protocol-Version", ""), ...mismatch },
    "an older version": { request: header("MCP-Protocol-Version", "2025-11-25"), ...mismatch },
    "an unknown version": { request: header("MCP-Protocol-Version", "2099-01-01"), ...mismatch },
    "two versions": { request: header("MCP-Protocol-Version", `${modernVersion}, 2025-11-25`), ...mismatch },
    "no method": { request: header("Mcp-Method", ""), ...mismatch },
    "another method": { request: header("Mcp-Method", "tools/list"), ...mismatch },
    "no name": { request: header("Mcp-Name", ""), ...mismatch },
    "another name": { request: header("Mcp-Name", "other"), ...mismatch },
    "a name in other letters": { request: header("Mcp-Name", "WORK"), ...mismatch },
    "another version in the body": { request: withMeta({ [meaning("protocolVersion")]: "2099-01-01" }), ...mismatch },
    "an older version in the body": { request: withMeta({ [meaning("protocolVersion")]: "2025-11-25" }), ...mismatch },
    "no version in the body": { request: withBody({ ...call.body, params: plainParams }), status: 400, code: -32_602 },
    "a version that is no text": { request: withMeta({ [meaning("protocolVersion")]: 5 }), status: 400, code: -32_602 },
    "no capabilities": {
      request: withMeta({ [meaning("clientCapabilities")]: undefined }),
      status: 400,
      code: -32_602,
    },
    "capabilities that are none": {
      request: withMeta({ [meaning("clientCapabilities")]: { elicitation: 5 } }),
      status: 400,
      code: -32_602,
    },
    "a client without a version": {
      request: withMeta({ [meaning("clientInfo")]: { name: "x" } }),
      status: 400,
      code: -32_602,
    },
    "an unknown log level": { request: withMeta({ [meaning("logLevel")]: "loud" }), status: 400, code: -32_602 },
    "a token that is none": { request: withMeta({ progressToken: { a: 1 } }), status: 400, code: -32_600 },
    "only the header is new": { request: { ...withHeaders({}), body: older }, status: 400, code: -32_602 },
  };
  await expectRefusals("Requests whose headers and body contradict each other", attempts, await start());
});

test("a body of one era in the session of another is refused, and an unknown version in any", async () => {
  const { hub, page } = await start();
  const session = await openSession(hub);
  const inSession = (body: unknown, headers: Record<string, string> = {}): RawRequest => ({
    headers: { ...session.headers, ...headers },
    body,
  });
  const attempts: Attempts = {
    "a newer body": { request: inSession(call.body), status: 400, code: -32_020 },
    "a newer version": {
      request: inSession(older, { "MCP-Protocol-Version": modernVersion }),
      status: 400,
      code: -32_602,
    },
    "an unknown version": { request: inSession(older, { "MCP-Protocol-Version": "1999-01-01" }), status: 400 },
    "no session": { request: { headers: { "MCP-Protocol-Version": "2025-11-25" }, body: older }, status: 400 },
    "a second initialize": { request: inSession({ ...initialize, id: 2 }), status: 400 },
    "an initialize without a client": { request: { body: { ...initialize, params: {} } }, status: 400 },
    "an initialize in a batch": { request: { body: [initialize] }, status: 400 },
  };
  await expectRefusals("Requests of one era in the session of another", attempts, { hub, page });
  // Session ids have no meaning for stateless requests.
  const alone = await sendRaw(hub, withHeaders({ "Mcp-Session-Id": session.id })).whole();
  expect(alone.messages).toMatchObject([{ result: { resultType: "complete" } }]);
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

test("a body that is too large, no UTF-8, no JSON or too deep is refused before anything is done with it", async () => {
  const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  const levels = JSON.stringify(call.body).replace('"arguments":{}', `"arguments":${deep}`);
  const notJson = { status: 400, code: -32_700 };
  const attempts: Attempts = {
    nothing: { request: withBody(""), ...notJson },
    "no JSON": { request: withBody("nonsense"), ...notJson },
    "half a request": { request: withBody(JSON.stringify(call.body).slice(0, -1)), ...notJson },
    "two requests": { request: withBody(JSON.stringify(call.body).repeat(2)), ...notJson },
    "a byte order mark": { request: withBody(`\ufeff${JSON.stringify(call.body)}`), ...notJson },
    "a zero byte": { request: withBody(`${JSON.stringify(call.body)}\u0000`), ...notJson },
    "10,000 levels": { request: withBody(levels), ...notJson },
    "10,000 levels that stay open": { request: withBody("[".repeat(10_000)), ...notJson },
    "no UTF-8": { request: withBody(Buffer.from('{"a":"\xff"}', "latin1")), status: 400 },
    "half a surrogate": { request: withBody(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), status: 400 },
    "too large": { request: withBody(JSON.stringify({ a: "x".repeat(100_000) })), status: 413 },
  };
  const what = "Bodies that are too large, no UTF-8, no JSON, or too deep";
  await expectRefusals(what, attempts, await start({ frameBytes: 100_000 }));
});

test("JSON that is no message of JSON-RPC is refused", async () => {
  const invalid = { status: 400, code: -32_600 };
  const bodies = {
    "a number": 5,
    null: "null",
    "a text": '"x"',
    "another version": { ...call.body, jsonrpc: "1.0" },
    "a method that is no text": { ...call.body, method: 5 },
    "parameters in a list": { ...call.body, params: [] },
    "another field": { ...call.body, extra: 1 },
    "a prototype": JSON.stringify(call.body).replace("{", '{"__proto__":{"id":5},'),
    "a request that is an answer": { ...call.body, result: {} },
  };
  const attempts = Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [name, { request: withBody(body), ...invalid }]),
  );
  await expectRefusals("JSON that is no message of JSON-RPC", attempts, await start());
});

test("an id that is neither text nor a whole number is refused; every other comes back as it was", async () => {
  const { hub, page } = await start();
  const wrong = ["null", "true", "{}", "[]", "[1]", "1.5", "1e400", "9007199254740993", "1".repeat(50)];
  const attempts = Object.fromEntries(wrong.map((id) => [id, { request: withId(id), status: 400, code: -32_600 }]));
  await expectRefusals("Requests with ids of wrong types", attempts, { hub, page });
  const session = await openSession(hub);
  const odd = [
    "",
    "\u0000",
    "__proto__",
    "constructor",
    "a\r\nX-Evil: 1",
    "\n\ndata: {}",
    "\ud800",
    "x".repeat(50_000),
    -1,
    0,
  ];
  for (const id of odd) {
    for (const sent of [
      sendRaw(hub, { ...call, body: { ...call.body, id } }),
      session.request("tools/call", plainParams, id),
    ]) {
      const { headers, messages } = await sent.whole();
      expect(messages).toMatchObject([{ id, result: JSON.parse(plainResult) }]);
      expect(headers).not.toHaveProperty("x-evil");
    }
  }
});

test("of a key that is there twice the last one counts, for the hub and for the page", async () => {
  const { hub, page } = await start();
  const text = JSON.stringify(call.body)
    .replace('"id":1', '"id":8,"id":1')
    .replace('"arguments":{}', '"arguments":{"x":1},"arguments":{"a":1,"a":2}');
  expect((await sendRaw(hub, withBody(text)).whole()).messages).toMatchObject([{ id: 1 }]);
  expect(page.calls[0]?.arguments).toBe('{"a":2}');
});

test("names of prototypes are names like others", async () => {
  const { hub, page } = await start();
  const given = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  const text = JSON.stringify(call.body).replace('"arguments":{}', `"arguments":${given}`);
  await sendRaw(hub, withBody(text)).whole();
  expect(page.calls[0]?.arguments).toBe(given);
  expect({}).not.toHaveProperty("polluted");
  for (const name of ["__proto__", "constructor", "toString"]) {
    const { messages } = await sendRaw(hub, modern("tools/call", { name, arguments: {} })).whole();
    expect(messages).toMatchObject([{ error: { code: -32_602 } }]);
  }
});

test("a request must be JSON, and a client with a session must take both forms of an answer", async () => {
  const { hub, page } = await start();
  const session: RawSession = await openSession(hub);
  const ofType = (type: string) => ({ request: withHeaders({ "Content-Type": type }), status: 415 });
  const accepting = (Accept: string): Attempt => ({
    request: { headers: { ...session.headers, Accept }, body: older },
    status: 406,
  });
  const attempts: Attempts = {
    "no type": ofType(""),
    text: ofType("text/plain"),
    "a form": ofType("application/x-www-form-urlencoded"),
    "two types": ofType("application/json, text/plain"),
    "almost JSON": ofType("application/jsonp"),
    "nothing accepted": accepting(""),
    "only JSON accepted": accepting("application/json"),
    "only events accepted": accepting("text/event-stream"),
    "a stream that is not accepted": {
      request: { method: "GET", headers: { ...session.headers, Accept: "" } },
      status: 406,
    },
    "another method": { request: { method: "PUT", headers: session.headers }, status: 405 },
    "another path": { request: { ...call, path: "/mcp/" }, status: 404 },
    "a tab that is none": { request: { ...call, path: "/mcp/tabs/none" }, status: 404 },
    "a way out of the path": { request: { ...call, path: "/mcp/tabs/%2e%2e%2fmcp" }, status: [400, 404] },
  };
  await expectRefusals("Requests of wrong types, methods and paths", attempts, { hub, page });
});
