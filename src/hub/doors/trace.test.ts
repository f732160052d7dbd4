import { expect, test } from "vitest";
import type { FrameToPage } from "../../wire/index.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import type { TestPage } from "../test-support/page.test-helper.ts";
import { delegate, openStream, openTerminal } from "./delegate/delegate.test-helper.ts";
import { modern, openSession, sendRaw } from "./mcp/test-support/raw-mcp.test-helper.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const tracestate = "rojo=00f067aa0ba902b7";
const trace = { traceparent, tracestate };
/** The trace of the HTTP request that made the call. */
const carrier = `00-${traceId}-00f067aa0ba902b7-01`;
const malformed = { traceparent: traceparent.toUpperCase(), tracestate };

/** The traces that the page received, in the order of its calls. */
async function tracesOf(page: TestPage, count: number): Promise<unknown[]> {
  const traces: unknown[] = [];
  while (traces.length < count) {
    const { frame } = await page.next("call");
    // The field must be absent, not only undefined.
    traces.push("trace" in frame ? frame.trace : "nothing");
  }
  return traces;
}

async function openShop(): Promise<{ readonly hub: TestHub; readonly page: TestPage }> {
  const hub = await startHub();
  return { hub, page: await connectPage(hub.url) };
}

test("a page gets the trace in the headers of an HTTP call", async () => {
  const { hub, page } = await openShop();
  for (const headers of [trace, { traceparent }, {}, malformed, { tracestate }]) {
    expect((await callTool(hub, "work", { headers })).status).toBe(200);
  }
  expect(await tracesOf(page, 5)).toEqual([trace, { traceparent }, "nothing", "nothing", "nothing"]);
});

test("a trace in the _meta of an MCP request wins over that of the headers", async () => {
  const { hub, page } = await openShop();
  const call = (meta: object, headers: Readonly<Record<string, string>> = {}) =>
    sendRaw(hub, modern("tools/call", { name: "work" }, { meta, headers })).whole();
  await call(trace, { traceparent: carrier, tracestate: "congo=1" });
  await call({}, { traceparent: carrier });
  await call(malformed, { traceparent: carrier });
  for (const meta of [{}, malformed, { traceparent: 7 }, { tracestate }]) {
    expect(await call(meta)).toMatchObject({ status: 200, messages: [{ result: { resultType: "complete" } }] });
  }
  const of = { traceparent: carrier };
  expect(await tracesOf(page, 7)).toEqual([trace, of, of, "nothing", "nothing", "nothing", "nothing"]);
});

test("so it is in a session, and each message of a batch has its own", async () => {
  const { hub, page } = await openShop();
  const session = await openSession(hub, { version: "2025-03-26" });
  const call = (id: number, _meta?: object) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "work", ...(_meta && { _meta }) },
  });
  await session.send(call(1, trace)).whole();
  await session.send([call(2, trace), call(3)], { traceparent: carrier }).whole();
  await session.send(call(4)).whole();
  expect(await tracesOf(page, 4)).toEqual([trace, trace, { traceparent: carrier }, "nothing"]);
});

test("prompts, resources and completions are in their callers' traces, too", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const prompts = [{ name: "ask", arguments: [{ name: "for" }] }];
  page.send({ type: "offer" }, JSON.stringify({ prompts, resources: [{ uri: "shop://cart", name: "cart" }] }));
  await page.settled();
  const ref = { type: "ref/prompt", name: "ask" };
  const params = {
    "prompts/get": { name: "ask" },
    "resources/read": { uri: "shop://cart" },
    "completion/complete": { ref, argument: { name: "for", value: "" } },
  };
  for (const [method, given] of Object.entries(params)) {
    await sendRaw(hub, modern(method, given, { meta: trace })).whole();
  }
  const { frame } = await page.next("call");
  expect(frame).toMatchObject({ method: "prompts/get", trace });
  expect(await tracesOf(page, 2)).toEqual([trace, trace]);
});

test("a page gets the trace in the headers of a terminal's program, for whole and streamed answers", async () => {
  const { hub, page } = await openShop();
  const terminal = await openTerminal(hub, page.tabId);
  await delegate(hub, terminal, { headers: trace });
  await (await openStream(hub, terminal, { headers: trace })).next();
  await delegate(hub, terminal, { headers: malformed });
  expect(await tracesOf(page, 3)).toEqual([trace, trace, "nothing"]);
});

test("a page gets the trace in an agent's call frame, and unknown fields are ignored", async () => {
  const { hub, page } = await openShop();
  const agent = await connectAgent(hub.url, { token: hub.token });
  const wrong = [malformed, {}, null, 7, "text", [], { traceparent: { deep: [[]] } }];
  for (const [index, said] of [trace, ...wrong].entries()) {
    expect((await agent.call("work", { id: `${index}`, trace: said })).frame.type).toBe("result");
  }
  expect(await tracesOf(page, 1 + wrong.length)).toEqual([trace, ...wrong.map(() => "nothing")]);
});

test("a call that is sent to its page again has its trace again", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: ({ id }, { ack }) => ack(id) });
  const answer = callTool(hub, "work", { headers: trace });
  const { frame } = await page.next("call");
  page.socket.terminate();
  const back = await connectPage(hub.url, { handle: ({ id }, { result }) => result(id, "{}") });
  const asked: Extract<FrameToPage, { type: "call" }> = (await back.next("call")).frame;
  expect(asked).toMatchObject({ id: frame.id, resume: true, trace });
  expect((await answer).status).toBe(200);
});
