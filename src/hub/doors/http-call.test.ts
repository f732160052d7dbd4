import { expect, test } from "vitest";
import { parsePolicy } from "../../policy/index.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { answerTo, beginCall, callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage } from "../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../test-support/page.test-helper.ts";

const answering = (payload: string) => (call: GivenCall, page: TestPage) => {
  page.ack(call.id);
  page.result(call.id, payload);
};

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
      text === `{"result":${result},"error":null,"outcome":"ok","ran":"yes","replay":false,"notSaved":false}`,
      text.slice(0, 99),
    ).toBe(true);
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "application/json", "no-store"]);
  }
});

test("H30: a tool's error result is distinguished from a success", async () => {
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

test("H30: the page gets the arguments as the caller wrote them, of any size and without any", async () => {
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

test("H30: a name in the path must be percent-encoded UTF-8; anything else is refused", async () => {
  const hub = await startHub();
  await connectPage(hub.url, { tools: ["a.b-c"] });
  expect((await callTool(hub, "a%2eb%2Dc")).status).toBe(200);
  expect((await callTool(hub, "a.b-c?x=1")).status).toBe(200);
  for (const name of ["%", "%zz", "%ff", "%e4"]) expect((await callTool(hub, name)).status).toBe(400);
  for (const name of ["", "a.b-c/", "a/b", "%00", "__proto__", "toString"]) {
    expect((await callTool(hub, name)).status, name).toBe(404);
  }
});

test("H33: a body of another type than JSON is refused before it reaches a page", async () => {
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

test("H33: a body that is too large is refused before it reaches a page, with or without a declared size", async () => {
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

test("the headers of a call are its key, its tab and its time", async () => {
  const hub = await startHub();
  const pages = [await connectPage(hub.url, { tab: "1" }), await connectPage(hub.url, { tab: "2" })];
  for (const page of pages) {
    const headers = { "Pagewire-Tab": page.tabId, "Idempotency-Key": `key-${page.tabId}`, "Pagewire-Timeout": "2.5" };
    expect((await callTool(hub, "work", { headers })).status).toBe(200);
    expect(page.calls).toMatchObject([{ key: `key-${page.tabId}`, left: 2500 }]);
  }
});

test("a call ends at its deadline, and is cancelled in the page", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const { status, text } = await callTool(hub, "work", { headers: { "Pagewire-Timeout": "0.05" } });
  expect([status, JSON.parse(text)]).toMatchObject([504, { outcome: "deadline-exceeded", ran: "maybe" }]);
  expect((await page.next("cancel")).frame.id).toBe((await page.nextCall()).id);
});

test("headers that cannot be meant are refused, and nothing runs", async () => {
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

test("PO4: over HTTP, a call beyond a rate that all users share says when to come back", async () => {
  const secret = "s".repeat(40);
  const rules = [{ name: "shared", rate: "2/hour together", decision: "allow" }];
  const hub = await startHub({ jwt: { secret }, policy: () => parsePolicy(JSON.stringify({ rules })) });
  const call = async (subject: string) => {
    await connectPage(hub.url, { tab: subject, token: await signPageToken({ secret, subject }) });
    return callTool({ url: hub.url, token: await signAgentToken({ secret, subject }) }, "work");
  };
  expect((await call("ada")).status).toBe(200);
  expect((await call("ben")).status).toBe(200);
  const { status, headers, text } = await call("cy");
  expect([status, JSON.parse(text)]).toMatchObject([429, { error: { code: "policy-rate" } }]);
  expect(headers["retry-after"]).toBe("1800");
});
