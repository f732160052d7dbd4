import { expect, test } from "vitest";
import { answerTo } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../../test-support/page.test-helper.ts";
import { askRaw } from "../../test-support/raw.test-helper.ts";
import { answering, beginDelegate, delegate, openBoth, openTerminal, toldIn } from "./delegate.test-helper.ts";

const inputSchema = { type: "object" } as const;

const failing = (failure: Readonly<Record<string, unknown>>) => (call: GivenCall, page: TestPage) =>
  page.send({ type: "failure", id: call.id, ran: "no", code: "internal-error", message: "", ...failure });

test("DL1: an action is a tool of the terminal's tab, with what else is in the body as its arguments", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { tools: ["a.b-c"], handle: answering(plainResult) });
  // A tab that every other rule would prefer.
  const other = await connectPage(hub.url, { tab: "tab-2", tools: ["a.b-c"] });
  for (const prefix of ["/api", "/api/v1"]) {
    const fields = {
      action: "a.b-c",
      n: 1,
      nested: { browser_id: "x", action: "y" },
      id: "mine",
      type: "t",
      text: "ä𝄞",
    };
    const { status, headers, json } = await delegate(hub, terminal, { fields, prefix });
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "application/json", "no-store"]);
    expect(json).toEqual({ cmd: "browser_response", id: expect.any(String), status: "ok", result: "done" });
    const { action: _, ...given } = fields;
    expect(JSON.parse(page.calls.at(-1)?.arguments ?? "")).toEqual(given);
    expect(page.calls.at(-1)).toMatchObject({ id: json["id"], name: "a.b-c" });
  }
  expect(other.calls).toEqual([]);
});

test("DL1: any type of body will do that holds JSON, as programs send it", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  const types = ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8"];
  for (const type of types)
    expect((await delegate(hub, terminal, { headers: { "Content-Type": type } })).status).toBe(200);
  expect(page.calls.map((call) => call.arguments)).toEqual(types.map(() => "{}"));
});

test("DL2: the result is text, and what is more than text is beside it", async () => {
  const hub = await startHub();
  const text = (said: string) => ({ type: "text", text: said });
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const cases: readonly (readonly [object, object])[] = [
    [{ content: [text("one"), text("two")] }, { result: "one\ntwo" }],
    [
      { content: [text('{"n":1}')], structuredContent: { n: 1 } },
      { result: '{"n":1}', structured: { n: 1 } },
    ],
    [
      { content: [], structuredContent: { n: [1] } },
      { result: '{"n":[1]}', structured: { n: [1] } },
    ],
    [
      { content: [], structuredContent: null },
      { result: "null", structured: null },
    ],
    [{ content: [text("see"), image] }, { result: "see\n[image image/png]", content: [text("see"), image] }],
    [{ content: [] }, { result: "" }],
    [{}, { result: "" }],
  ];
  const { terminal } = await openBoth(hub, { handle: answering(...cases.map(([result]) => JSON.stringify(result))) });
  for (const [result, fields] of cases) {
    const { json } = await delegate(hub, terminal);
    expect(json, JSON.stringify(result)).toEqual({ cmd: "browser_response", id: json["id"], status: "ok", ...fields });
  }
});

test("DL3: a result may bring fields of its own, but none of the door's", async () => {
  const hub = await startHub();
  const own = ["cmd", "id", "type", "detail", "code", "outcome", "ran", "message", "replay"];
  const forged = Object.fromEntries(own.map((name) => [name, "forged"]));
  const fields = { status: 204, headers: { a: "b" }, body: "", statusText: "No Content" };
  const result = { content: [], structuredContent: { ...forged, ...fields }, _meta: { "pagewire/fields": true } };
  const unmarked = { ...result, _meta: { "pagewire/fields": "true" } };
  const { terminal } = await openBoth(hub, { handle: answering(JSON.stringify(result), JSON.stringify(unmarked)) });
  const { json } = await delegate(hub, terminal);
  expect(json).toEqual({ cmd: "browser_response", id: json["id"], ...fields });
  expect(json["id"]).not.toBe("forged");
  expect((await delegate(hub, terminal)).json).toMatchObject({ status: "ok", structured: { id: "forged" } });
});

test("DL7: what cannot be meant is refused by name, and nothing runs", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  const { id } = terminal;
  const deep = `${'{"a":'.repeat(70)}1${"}".repeat(70)}`;
  const bodies = [
    ...["", "{", "[]", "null", '"x"', "not JSON", "{}", deep, `{"action":"work","browser_id":"${id}","a":${deep}}`],
    ...[undefined, "", 7, null, ["work"]].map((action) => JSON.stringify({ action, browser_id: id })),
    ...[undefined, "", 7, null, "two words", `${id}\n`, "../x", "$(x)", "a;b", "ä", "x".repeat(129), [id]].map(
      (named) => JSON.stringify({ action: "work", browser_id: named }),
    ),
  ];
  for (const body of bodies) {
    const answer = await delegate(hub, terminal, { body });
    expect([answer.status, answer.json["code"]], body).toEqual([422, "request-malformed"]);
  }
  for (const headers of [
    { "Idempotency-Key": "two words" },
    { "Pagewire-Timeout": "soon" },
    { "Pagewire-Timeout": "0" },
    { "Pagewire-Action": "other" },
    { "Pagewire-Browser-Id": id },
    { "Pagewire-Action": "", "Pagewire-Browser-Id": id },
    { "Pagewire-Action": "work", "Pagewire-Browser-Id": "two words" },
  ]) {
    const answer = await delegate(hub, terminal, { headers: headers as Record<string, string> });
    expect([answer.status, answer.json["code"]], JSON.stringify(headers)).toEqual([422, "request-malformed"]);
  }
  await page.settled();
  expect(page.calls).toEqual([]);
});

test("DL39: an action whose arguments are called as the door's own fields is named in headers", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  const headers = { "Pagewire-Action": "work", "Pagewire-Browser-Id": terminal.id };
  const given = { action: "mine", browser_id: "mine too", n: 1 };
  expect((await delegate(hub, terminal, { headers, body: JSON.stringify(given) })).status).toBe(200);
  expect(page.calls.map((call) => JSON.parse(call.arguments))).toEqual([given]);
});

test("DL14: a failing tool's error has its message, and an action's its code", async () => {
  const hub = await startHub();
  const failed = (text: string, code?: string) =>
    JSON.stringify({
      content: [{ type: "text", text }],
      isError: true,
      ...(code && { _meta: { "pagewire/code": code } }),
    });
  const cases = [
    [failed("cancelled", "action-refused"), [502, "action-refused", "cancelled"]],
    [failed("No sound.", "action-unavailable"), [502, "action-unavailable", "No sound."]],
    [failed("Broken."), [502, "handler-failed", "Broken."]],
    [failed("Broken.", "no-such-code"), [502, "handler-failed", "Broken."]],
    ['{"isError":true}', [502, "handler-failed", "The action failed without a word."]],
  ] as const;
  const { terminal } = await openBoth(hub, { handle: answering(...cases.map(([payload]) => payload)) });
  for (const [, told] of cases) expect(toldIn(await delegate(hub, terminal))).toEqual(told);
});

test("DL14: codes of the hub in a page's failure", async () => {
  const hub = await startHub();
  const codes = [
    ...["token-invalid", "token-expired", "code-invalid", "host-refused", "origin-not-allowed"],
    ...["browser-unknown", "browser-missing", "terminal-not-found", "terminals-too-many", "terminal-unavailable"],
    ...["route-not-found", "method-not-allowed", "going-away"],
  ];
  const marked = (code: string) =>
    JSON.stringify({
      content: [{ type: "text", text: "in these words" }],
      isError: true,
      _meta: { "pagewire/code": code },
    });
  const ends = codes.flatMap((code) => [
    failing({ outcome: "rejected", code, message: "in these words" }),
    failing({ outcome: "tool-error", code, message: "in these words" }),
    answering(marked(code)),
  ]);
  const { page, terminal } = await openBoth(hub, { handle: (call) => ends[page.calls.length - 1]?.(call, page) });
  for (const at of ends.keys())
    expect(toldIn(await delegate(hub, terminal)), codes[Math.floor(at / 3)]).toEqual([
      502,
      "handler-failed",
      "in these words",
    ]);
});

test("an unknown action is a named error, and so are the hub's own tools", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  await connectPage(hub.url, { tab: "tab-2", tools: ["other"] });
  const names = [
    "other",
    "Work",
    "a b",
    "__proto__",
    "toString",
    "list_browser_tabs",
    "list_tab_tools",
    "call_tab_tool",
  ];
  for (const action of names) {
    const fields = { action, tabId: page.tabId, name: "work", arguments: {} };
    const answer = await delegate(hub, terminal, { fields });
    expect(toldIn(answer)).toEqual([502, "tool-not-found", `Unknown action: ${action}`]);
    expect(answer.json).toMatchObject({ outcome: "rejected", ran: "no" });
  }
  await page.settled();
  expect(page.calls).toEqual([]);
});

test("refusals for size, form and timing have different errors", async () => {
  const hub = await startHub({ limits: { frameBytes: 4000, callsPerTab: 1 } });
  const refuses = failing({ outcome: "rejected", code: "input-invalid", message: "/n must be a number" });
  const { terminal: strict } = await openBoth(hub, { tab: "strict", handle: refuses });
  expect(toldIn(await delegate(hub, strict))).toEqual([422, "input-invalid", "/n must be a number"]);
  const large =
    '{"isError":true,"content":[{"type":"text","text":"Too large."}],"_meta":{"pagewire/code":"result-too-large"}}';
  const { terminal: wordy } = await openBoth(hub, { tab: "wordy", handle: answering(large) });
  expect(toldIn(await delegate(hub, wordy))).toEqual([502, "result-too-large", "Too large."]);

  const { page, terminal } = await openBoth(hub, { handle: byHand });
  for (const headers of [{}, { "Transfer-Encoding": "chunked" }]) {
    const oversize = await delegate(hub, terminal, { headers, fields: { text: "x".repeat(4000) } });
    expect(oversize.json).toMatchObject({ code: "body-too-large", outcome: "rejected", ran: "no" });
    expect(oversize.status).toBe(413);
  }
  // With its frame's header it is too large for the page.
  const tight = await delegate(hub, terminal, { fields: { text: "x".repeat(3900) } });
  expect(tight.json).toMatchObject({ code: "body-too-large", ran: "no" });
  expect(tight.status).toBe(413);
  const running = delegate(hub, terminal);
  const { id } = await page.nextCall();
  const busy = await delegate(hub, terminal);
  expect([busy.status, busy.json["code"], busy.headers["retry-after"]]).toEqual([429, "calls-too-many", "1"]);
  page.result(id, plainResult);
  expect((await running).status).toBe(200);
  expect(page.calls).toHaveLength(1);
});

test("a page that answers with more than a frame loses its socket, and the caller gets an error", async () => {
  const hub = await startHub({ limits: { frameBytes: 4000, graceTime: 20 } });
  const { terminal } = await openBoth(hub, { handle: answering(`{"big":"${"x".repeat(4100)}"}`) });
  expect(toldIn(await delegate(hub, terminal))).toEqual([502, "outcome-unknown", "Browser connection not available"]);
});

test("DL17: every refusal on these paths has the door's own form", async () => {
  const hub = await startHub();
  const { terminal } = await openBoth(hub);
  const base = `${hub.url}/api/browser-delegate`;
  const headers = { Authorization: `Bearer ${terminal.token}` };
  const cases = [
    [405, "method-not-allowed", "GET", base, headers],
    [405, "method-not-allowed", "POST", `${base}/actions`, headers],
    [404, "route-not-found", "POST", `${base}/other`, headers],
    [404, "route-not-found", "POST", `${hub.url}/api/v1/browser-delegate/`, headers],
    [401, "token-required", "POST", base, {}],
    [403, "origin-not-allowed", "POST", base, { ...headers, Origin: hub.url }],
  ] as const;
  for (const [status, code, method, url, given] of cases) {
    const response = await fetch(url, { method, headers: given });
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body["code"]], `${method} ${url}`).toEqual([status, code]);
    expect(body).toMatchObject({ detail: expect.any(String), outcome: "rejected", ran: "no" });
    expect(response.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
  }
  const wrongHost = await askRaw(hub.port, "POST /api/browser-delegate HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  expect([wrongHost.status, JSON.parse(wrongHost.body)]).toMatchObject([421, { error: { code: "host-refused" } }]);
  const unknown = await delegate(hub, terminal, { fields: { browser_id: "other" } });
  expect(unknown.json).toMatchObject({ detail: "Unknown browser ID", message: expect.stringContaining("browser-id") });
  expect(await hub.metric('pagewire_refusals_total{code="browser-unknown"}')).toBe(1);
  expect(hub.records).toContainEqual(expect.objectContaining({ event: "request-refused", code: "browser-unknown" }));
});

test("a stopping hub refuses new calls as safe to send again, and lets those that run finish", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const running = delegate(hub, terminal);
  const { id } = await page.nextCall();
  const drained = hub.drain();
  const refused = await delegate(hub, terminal);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
  expect(refused.json).toMatchObject({ code: "going-away", outcome: "rejected", ran: "no" });
  page.result(id, plainResult);
  expect((await running).json).toMatchObject({ status: "ok" });
  await drained;
});

test("at a stopping hub an action that repeats another by its key joins it, and is not refused", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const headers = { "Idempotency-Key": "once" };
  const running = delegate(hub, terminal, { headers });
  const { id } = await page.nextCall();
  const drained = hub.drain();
  const joined = ["", "/stream"].map((path) => answerTo(beginDelegate(hub, terminal, { headers, path })));
  const other = await delegate(hub, terminal, { headers: { "Idempotency-Key": "other" } });
  expect([other.status, other.json]).toMatchObject([503, { code: "going-away", outcome: "rejected", ran: "no" }]);
  await page.settled();
  page.result(id, plainResult);
  expect((await running).json).toMatchObject({ status: "ok" });
  for (const { status } of await Promise.all(joined)) expect(status).toBe(200);
  await drained;
  expect(page.calls).toHaveLength(1);
});

test("DL26: the tab's actions are listed with their schemas, including those for terminals only", async () => {
  const hub = await startHub();
  const tools = [
    { name: "work", title: "Work", description: "Works.", inputSchema, annotations: { readOnlyHint: true } },
    { name: "fetch", description: "Fetches.", inputSchema, _meta: { "pagewire/audience": "terminal", secret: 1 } },
  ];
  const { page, terminal } = await openBoth(hub, { tools });
  await connectPage(hub.url, { tab: "tab-2", tools: ["other"] });
  for (const prefix of ["/api", "/api/v1"]) {
    const { status, json } = await delegate(hub, terminal, { path: "/actions", prefix });
    expect(status).toBe(200);
    expect(json).toEqual({
      browser_id: terminal.id,
      tab: { id: page.tabId, title: "A shop", origin: "https://shop.example", url: "", app: "shop" },
      actions: [tools[0], { name: "fetch", description: "Fetches.", inputSchema }],
    });
  }
  const lost = await openTerminal(hub);
  expect((await delegate(hub, lost, { path: "/actions" })).json).toMatchObject({ code: "browser-missing" });
});

test("a hundred concurrent calls each get their own answer", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const answers = Array.from({ length: 100 }, (_, n) => delegate(hub, terminal, { fields: { n } }));
  const calls = [];
  while (calls.length < 100) calls.push(await page.nextCall());
  // The last one arrives first.
  for (const { id, arguments: given } of calls.toReversed())
    page.result(id, JSON.stringify({ content: [{ type: "text", text: given }] }));
  const results = (await Promise.all(answers)).map(({ json }) => json["result"]);
  expect(results).toEqual(Array.from({ length: 100 }, (_, n) => JSON.stringify({ n })));
});
