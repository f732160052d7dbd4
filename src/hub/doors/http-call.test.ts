import { expect, test } from "vitest";
import { startHub } from "../hub.test-helper.ts";
import { answerTo, beginCall, callTool } from "../http.test-helper.ts";
import { byHand, connectPage } from "../page.test-helper.ts";
import type { GivenCall, TestPage } from "../page.test-helper.ts";

/** Answers each call with this result. */
const answering = (payload: string) => (call: GivenCall, page: TestPage) => {
  page.ack(call.id);
  page.result(call.id, payload);
};

/** Ends each call with a failure. */
const failing = (failure: Readonly<Record<string, unknown>>) => (call: GivenCall, page: TestPage) =>
  page.send({ type: "failure", id: call.id, ran: "no", code: "internal-error", message: "", ...failure });

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
  readonly outcome: string;
  readonly ran: string;
}

test("H30: a call is answered with the result as the page wrote it, and after it how the call ended", async () => {
  const hub = await startHub();
  const results = [
    '{"content":[{"type":"text","text":"done"}]}',
    '{ "b" : 1e400, "a":\t12345678901234567890.0,\n"b":"\\u00e4\\ud834\\udd1e\\/" }',
    '"語"',
    "[]",
    "null",
    JSON.stringify({ content: [{ type: "text", text: "ä𝄞".repeat(200_000) }] }),
  ];
  for (const [index, result] of results.entries()) {
    const name = `tool-${index}`;
    await connectPage(hub.url, { tab: name, tools: [name], handle: answering(result) });
    const { status, headers, text } = await callTool(hub, name);
    expect(
      text === `{"result":${result},"error":null,"outcome":"ok","ran":"yes","replay":false}`,
      text.slice(0, 99),
    ).toBe(true);
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "application/json", "no-store"]);
  }
});

test("H30: a tool that answered with an error is told apart from one that did not", async () => {
  const hub = await startHub();
  await connectPage(hub.url, {
    handle(call, page) {
      page.ack(call.id);
      page.send({ type: "result", id: call.id, isError: true }, '{"content":[],"isError":true}');
    },
  });
  const { status, text } = await callTool(hub, "work");
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ result: { isError: true }, outcome: "tool-error", ran: "yes" });
});

test("H30: a result with nothing in it is null", async () => {
  const hub = await startHub();
  await connectPage(hub.url, { handle: answering("") });
  expect(JSON.parse((await callTool(hub, "work")).text)).toMatchObject({ result: null, outcome: "ok" });
});

test("H30: the page is given the arguments as the caller wrote them, of any size and without any", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const bodies = ['{"a" : [1.0,\n\n"x"] , "a":2}', "", "[1]", "not JSON", `{"big":"${"語".repeat(300_000)}"}`];
  for (const body of bodies) await callTool(hub, "work", { body });
  expect(page.calls.map((call) => call.arguments)).toEqual(bodies);
});

test("H30: the hub's own tools are called in the same way", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const { text } = await callTool(hub, "list_browser_tabs");
  const { result } = JSON.parse(text) as { result: { structuredContent: { tabs: { tabId: string }[] } } };
  expect(result.structuredContent.tabs.map(({ tabId }) => tabId)).toEqual([page.tabId]);
  const body = JSON.stringify({ tabId: page.tabId, name: "work", arguments: { a: 1 } });
  await callTool(hub, "call_tab_tool", { body });
  expect(page.calls.map((call) => call.arguments)).toEqual(['{"a":1}']);
});

test("H30: a name in the path is percent-encoded UTF-8, and whatever else is there is refused", async () => {
  const hub = await startHub();
  await connectPage(hub.url, { tools: ["a.b-c"] });
  expect((await callTool(hub, "a%2eb%2Dc")).status).toBe(200);
  expect((await callTool(hub, "a.b-c?x=1")).status).toBe(200);
  for (const name of ["%", "%zz", "%ff", "%e4"]) expect((await callTool(hub, name)).status).toBe(400);
  for (const name of ["", "a.b-c/", "a/b", "%00", "__proto__", "toString"]) {
    expect((await callTool(hub, name)).status, name).toBe(404);
  }
});

test("H32: a failure of the page's is told with a status of its own, its code and its message", async () => {
  const hub = await startHub();
  const failures = [
    [422, { outcome: "rejected", code: "input-invalid" }],
    [400, { outcome: "rejected", code: "arguments-malformed" }],
    [200, { outcome: "tool-error", ran: "yes", code: "handler-failed" }],
    [504, { outcome: "deadline-exceeded", ran: "maybe", code: "deadline-exceeded" }],
    [409, { outcome: "cancelled", ran: "maybe", code: "cancelled" }],
    [502, { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" }],
    [502, { outcome: "ok", ran: "yes", code: "no-such-code" }],
  ] as const;
  for (const [index, [status, failure]] of failures.entries()) {
    const name = `tool-${index}`;
    await connectPage(hub.url, {
      tab: name,
      tools: [name],
      handle: failing({ message: "in these words", ...failure }),
    });
    const answer = await callTool(hub, name);
    expect(answer.status, name).toBe(status);
    const { error, outcome } = JSON.parse(answer.text) as ErrorBody;
    expect(error.message).toBe("in these words");
    expect(error.code).toBe(failure.code === "no-such-code" ? "internal-error" : failure.code);
    // A page cannot say that a call went well without a result.
    expect(outcome).toBe(failure.outcome === "ok" ? "outcome-unknown" : failure.outcome);
  }
});

test("H32: a call that finds no tool, tab or single meaning says what there is", async () => {
  const hub = await startHub();
  await connectPage(hub.url, { tab: "1", app: "one" });
  hub.allow("https://other.example");
  await connectPage(hub.url, { tab: "2", app: "two", origin: "https://other.example" });
  const cases = [
    [404, "tool-not-found", await callTool(hub, "other")],
    [404, "tab-not-found", await callTool(hub, "work", { headers: { "Pagewire-Tab": "none" } })],
    [409, "tool-ambiguous", await callTool(hub, "work")],
  ] as const;
  for (const [status, code, answer] of cases) {
    const { error, ...end } = JSON.parse(answer.text) as ErrorBody;
    expect([answer.status, error.code]).toEqual([status, code]);
    expect(end).toEqual({ outcome: "rejected", ran: "no", replay: false });
  }
  expect(cases[2][2].text).toContain("one__work, two__work");
});

test("H32: too many calls at once are refused with the time after which to try again", async () => {
  const hub = await startHub({ limits: { callsPerTab: 1 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const first = callTool(hub, "work");
  const { id } = await page.nextCall();
  const { status, headers, text } = await callTool(hub, "work");
  expect([status, headers["retry-after"]]).toEqual([429, "1"]);
  expect((JSON.parse(text) as ErrorBody).error).toMatchObject({ code: "calls-too-many" });
  page.result(id, "1");
  expect((await first).status).toBe(200);
  expect(page.calls).toHaveLength(1);
});

test("H32: how a page was lost decides whether it is safe to try again", async () => {
  const hub = await startHub({ limits: { graceTime: 50 } });
  const suspended = { type: "suspended", reason: "frozen" };
  const cases: readonly [number, string, string, (page: TestPage, id: string) => void][] = [
    [502, "not-delivered", "no", (page) => page.send({ type: "bye" })],
    [502, "outcome-unknown", "maybe", (page) => page.socket.terminate()],
    [502, "outcome-unknown", "maybe", (page, id) => (page.ack(id), page.send({ type: "bye" }))],
    [503, "page-suspended", "maybe", (page, id) => (page.ack(id), page.send(suspended))],
  ];
  for (const [status, outcome, ran, lose] of cases) {
    const page = await connectPage(hub.url, { handle: byHand });
    const answer = callTool(hub, "work");
    lose(page, (await page.nextCall()).id);
    const { status: told, text } = await answer;
    expect([told, JSON.parse(text)]).toMatchObject([status, { outcome, ran }]);
    page.send({ type: "bye" });
    page.link.close();
  }
});

test("H32: a call for a tab that is suspended, or away and does not come back, never ran", async () => {
  const hub = await startHub({ limits: { graceTime: 300 } });
  const page = await connectPage(hub.url);
  page.send({ type: "suspended", reason: "frozen" });
  await page.settled();
  const suspended = await callTool(hub, "work");
  expect([suspended.status, JSON.parse(suspended.text)]).toMatchObject([503, { outcome: "page-suspended", ran: "no" }]);
  page.send({ type: "resumed" });
  await page.settled();
  page.socket.terminate();
  while (!(await callTool(hub, "list_browser_tabs")).text.includes('"state":"away"')) await page.closed;
  const away = await callTool(hub, "work");
  expect([away.status, JSON.parse(away.text)]).toMatchObject([502, { outcome: "page-gone", ran: "no" }]);
  expect(page.calls).toEqual([]);
});

test("H32: a key that is used up, or was used for something else, runs nothing", async () => {
  const hub = await startHub({ limits: { keyBytes: 0 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const headers = { "Idempotency-Key": "one" };
  const first = callTool(hub, "work", { headers });
  const { id } = await page.nextCall();
  const other = await callTool(hub, "work", { headers, body: '{"other":1}' });
  expect([other.status, JSON.parse(other.text)]).toMatchObject([409, { error: { code: "key-conflict" }, ran: "no" }]);
  page.result(id, "1");
  await first;
  const again = await callTool(hub, "work", { headers });
  expect([again.status, JSON.parse(again.text)]).toMatchObject([
    410,
    { error: { code: "key-expired" }, outcome: "expired" },
  ]);
  expect(page.calls).toHaveLength(1);
});

test("H33: a body of another type than JSON is refused before a page hears of it", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const types = [
    ...["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp"],
    ...["text/plain; application/json", "application/json-patch+json", "application/ld+json", "text/json"],
  ];
  for (const type of types) {
    const { status, text } = await callTool(hub, "work", { headers: { "Content-Type": type } });
    expect([status, (JSON.parse(text) as ErrorBody).error.code], type).toEqual([400, "request-malformed"]);
  }
  for (const type of ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"]) {
    expect((await callTool(hub, "work", { headers: { "Content-Type": type } })).status, type).toBe(200);
  }
  expect(page.calls).toHaveLength(3);
});

test("H33: a body that is too large is refused before a page hears of it, whether or not it says its size", async () => {
  const hub = await startHub({ limits: { frameBytes: 2000 } });
  const page = await connectPage(hub.url);
  const announced = beginCall(hub, "work", { body: "", headers: { "Content-Length": "2001" } });
  expect((await answerTo(announced)).status).toBe(413);
  const unannounced = await callTool(hub, "work", {
    body: "x".repeat(2001),
    headers: { "Transfer-Encoding": "chunked" },
  });
  expect([unannounced.status, (JSON.parse(unannounced.text) as ErrorBody).error.code]).toEqual([413, "body-too-large"]);
  await page.settled();
  expect(page.calls).toEqual([]);
  expect((await callTool(hub, "work", { body: "x".repeat(1000) })).status).toBe(200);
});

test("H33: a body that is not UTF-8 is refused, and the page's socket stays whole", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  for (const size of [0, 100_000]) {
    const body = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.alloc(size, 120),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ]);
    for (const headers of [{}, { "Idempotency-Key": "one" }]) {
      const { status, text } = await callTool(hub, "work", { body, headers });
      expect([status, (JSON.parse(text) as ErrorBody).error.code]).toEqual([400, "request-malformed"]);
    }
  }
  expect((await callTool(hub, "work")).status).toBe(200);
  expect(page.calls).toHaveLength(1);
});

test("H34: the headers of a call are its key, its tab and its time", async () => {
  const hub = await startHub();
  const pages = [await connectPage(hub.url, { tab: "1" }), await connectPage(hub.url, { tab: "2" })];
  for (const page of pages) {
    const headers = { "Pagewire-Tab": page.tabId, "Idempotency-Key": `key-${page.tabId}`, "Pagewire-Timeout": "2.5" };
    expect((await callTool(hub, "work", { headers })).status).toBe(200);
    expect(page.calls).toMatchObject([{ key: `key-${page.tabId}`, left: 2500 }]);
  }
});

test("H34: a call ends when its time is up, and the page is told", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const { status, text } = await callTool(hub, "work", { headers: { "Pagewire-Timeout": "0.05" } });
  expect([status, JSON.parse(text)]).toMatchObject([504, { outcome: "deadline-exceeded", ran: "maybe" }]);
  expect((await page.next("cancel")).frame.id).toBe((await page.nextCall()).id);
});

test("H34: headers that cannot be meant are refused, and nothing runs", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const headers: readonly Record<string, string>[] = [
    { "Idempotency-Key": "" },
    { "Idempotency-Key": "two words" },
    { "Idempotency-Key": "x".repeat(129) },
    { "Idempotency-Key": "schl\u00fcssel" },
    { "Pagewire-Tab": "" },
    { "Pagewire-Tab": "a, b" },
    ...["0", "-1", "soon", "NaN", "", "1,5"].map((time) => ({ "Pagewire-Timeout": time })),
  ];
  for (const each of headers) {
    const { status, text } = await callTool(hub, "work", { headers: each });
    expect([status, (JSON.parse(text) as ErrorBody).error.code], JSON.stringify(each)).toEqual([
      400,
      "request-malformed",
    ]);
  }
  await page.settled();
  expect(page.calls).toEqual([]);
});
