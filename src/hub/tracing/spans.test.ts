import { SpanKind } from "@opentelemetry/api";
import { beforeAll, expect, test } from "vitest";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { delegate, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { modern, openSession, sendRaw } from "../doors/mcp/test-support/raw-mcp.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { beginCall, callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage } from "../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../test-support/page.test-helper.ts";
import { endedSpan, endedSpans, recordSpans } from "./test-support/recorded-spans.test-helper.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callersSpan = "b7ad6b7169203331";
const trace = { traceparent: `00-${traceId}-${callersSpan}-01`, tracestate: "rojo=00f067aa0ba902b7" };

beforeAll(recordSpans);

const common = { "pagewire.agent.name": "raw", "network.transport": "tcp", "network.protocol.name": "http" };

test("a call of an MCP client is a span by MCP's conventions, a child of the caller's", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  await sendRaw(hub, modern("tools/call", { name: "work" }, { id: "r-7", meta: trace })).whole();
  const { all, ...span } = await endedSpan();
  expect(span).toEqual({
    name: "tools/call work",
    parent: callersSpan,
    traceparent: expect.stringMatching(`^00-${traceId}-(?!${callersSpan})[0-9a-f]{16}-01$`),
    isError: false,
    attributes: {
      ...common,
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2026-07-28",
      "jsonrpc.request.id": "r-7",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "work",
      "pagewire.door": "mcp",
      "pagewire.agent.version": "1",
      "pagewire.tab": page.tabId,
      "pagewire.app": "shop",
      "pagewire.outcome": "ok",
      "pagewire.ran": "yes",
    },
  });
  expect([all.kind, all.instrumentationScope.name, all.links]).toEqual([SpanKind.SERVER, "pagewire", []]);
});

test("in a session a span names it and its revision", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  const session = await openSession(hub);
  await session.request("tools/call", { name: "work" }, 12).whole();
  const { name, attributes, parent } = await endedSpan();
  expect([name, parent]).toEqual(["tools/call work", undefined]);
  expect(attributes).toMatchObject({
    "mcp.session.id": session.id,
    "mcp.protocol.version": "2025-11-25",
    "jsonrpc.request.id": "12",
  });
});

test("prompts, resources and completions have spans whose names are few", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const prompts = [{ name: "ask", arguments: [{ name: "for" }] }];
  page.send({ type: "offer" }, JSON.stringify({ prompts, resources: [{ uri: "shop://cart", name: "cart" }] }));
  await page.settled();
  await sendRaw(hub, modern("prompts/get", { name: "ask" })).whole();
  await sendRaw(hub, modern("resources/read", { uri: "shop://cart" })).whole();
  const ref = { type: "ref/prompt", name: "ask" };
  await sendRaw(hub, modern("completion/complete", { ref, argument: { name: "for", value: "" } })).whole();
  const spans = await endedSpans(3);
  expect(spans.map(({ name }) => name)).toEqual(["prompts/get ask", "resources/read", "completion/complete"]);
  expect(spans[0]?.attributes["gen_ai.prompt.name"]).toBe("ask");
  expect(spans[1]?.attributes["mcp.resource.uri"]).toBe("shop://cart");
  for (const { attributes } of spans) expect(attributes).not.toHaveProperty("gen_ai.operation.name");
});

test("a call that comes in another way is a span by the conventions for tools", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const agent = await connectAgent(hub.url, { token: hub.token });
  const terminal = await openTerminal(hub, page.tabId);
  await callTool(hub, "work", { headers: { ...trace, "User-Agent": "raw" } });
  await agent.call("work", { id: "1", trace });
  await delegate(hub, terminal, { headers: { ...trace, "User-Agent": "raw" } });
  const spans = await endedSpans(3);
  const protocols = ["http", "websocket", "http"];
  for (const [index, door] of ["http", "socket", "delegate"].entries()) {
    expect(spans[index]).toMatchObject({ name: "execute_tool work", parent: callersSpan, isError: false });
    expect(spans[index]?.attributes).toMatchObject({
      "pagewire.door": door,
      "gen_ai.tool.name": "work",
      "network.protocol.name": protocols[index],
      "pagewire.tab": page.tabId,
    });
    expect(spans[index]?.attributes).not.toHaveProperty("mcp.method.name");
  }
});

test("the page is given the span's own place in the trace, also where the caller said nothing", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  await callTool(hub, "work", { headers: trace });
  await callTool(hub, "work");
  const spans = await endedSpans(2);
  const given = [(await page.next("call")).frame.trace, (await page.next("call")).frame.trace];
  expect(given).toEqual([
    { traceparent: spans[0]?.traceparent, tracestate: trace.tracestate },
    { traceparent: spans[1]?.traceparent },
  ]);
  expect(spans[1]?.parent).toBeUndefined();
});

/** A page that handles each of the next calls with one of these functions. */
const handling = (handle: (call: GivenCall, page: TestPage) => void) => ({ tools: ["work"], handle });

test("the span of a failed tool has an error status without the reason", async () => {
  const hub = await startHub();
  const secret = "what the page said";
  const failing = handling(({ id }, page) => {
    page.ack(id);
    page.send({ type: "result", id, isError: true }, JSON.stringify({ isError: true, content: [], _meta: { secret } }));
  });
  await connectPage(hub.url, failing);
  const body = JSON.stringify({ password: secret });
  await callTool(hub, "work", { body });
  await sendRaw(hub, modern("tools/call", { name: "work", arguments: { password: secret } })).whole();
  const spans = await endedSpans(2);
  for (const { isError, attributes, all } of spans) {
    expect(isError).toBe(true);
    expect(attributes).toMatchObject({ "error.type": "tool_error", "pagewire.outcome": "tool-error" });
    expect(all.status.message).toBeUndefined();
    expect(JSON.stringify([all.name, all.attributes, all.events, all.status])).not.toContain(secret);
  }
});

test("a call that the page refuses says with which code, and that nothing ran", async () => {
  const hub = await startHub();
  const refusing = handling(({ id }, page) => {
    page.ack(id);
    const message = "The tool refused its input.";
    page.send({ type: "failure", id, outcome: "rejected", ran: "no", code: "input-invalid", message });
  });
  await connectPage(hub.url, refusing);
  await sendRaw(hub, modern("tools/call", { name: "work" })).whole();
  const { isError, attributes } = await endedSpan();
  expect(isError).toBe(true);
  expect(attributes).toMatchObject({
    "error.type": "input-invalid",
    "pagewire.code": "input-invalid",
    "pagewire.outcome": "rejected",
    "pagewire.ran": "no",
  });
});

test("a call of what is not there has MCP's code, and no name that its caller made up", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  await sendRaw(hub, modern("tools/call", { name: "made-up" })).whole();
  await sendRaw(hub, modern("resources/read", { uri: "shop://made-up" })).whole();
  await callTool(hub, "made-up");
  const [mcp, resource, http] = await endedSpans(3);
  expect([mcp?.name, resource?.name, http?.name]).toEqual(["tools/call", "resources/read", "execute_tool"]);
  expect(mcp?.attributes).toMatchObject({
    "error.type": "-32602",
    "rpc.response.status_code": "-32602",
    "pagewire.code": "tool-not-found",
    "gen_ai.tool.name": "made-up",
  });
  expect(resource?.attributes).toMatchObject({ "error.type": "-32602", "pagewire.code": "offer-not-found" });
  expect(http?.attributes).toMatchObject({ "error.type": "tool-not-found", "pagewire.outcome": "rejected" });
  expect(http?.attributes).not.toHaveProperty("rpc.response.status_code");
});

test("a call that is cancelled, late or lost with its page has one span with that outcome", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, handling(byHand));
  const agent = await connectAgent(hub.url, { token: hub.token });
  const begin = async (id: string, more = {}) => {
    const end = agent.call("work", { id, ...more });
    const call = await page.nextCall();
    page.ack(call.id);
    await agent.next("ack");
    return end;
  };
  const cancelled = begin("1");
  await expect.poll(() => page.calls.length).toBe(1);
  await agent.settled();
  agent.send({ type: "cancel", id: "1" });
  await cancelled;
  await begin("2", { left: 50 });
  const lost = begin("3");
  await expect.poll(() => page.calls.length).toBe(3);
  await agent.settled();
  page.send({ type: "bye", final: true });
  await lost;
  const spans = await endedSpans(3);
  expect(spans.map(({ attributes }) => [attributes["error.type"], attributes["pagewire.ran"]])).toEqual([
    ["cancelled", "maybe"],
    ["deadline-exceeded", "maybe"],
    ["outcome-unknown", "maybe"],
  ]);
  expect(spans.every(({ isError }) => isError)).toBe(true);
});

test("a caller that disconnects ends its span, and its repeated call has another", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, handling(byHand));
  const first = beginCall(hub, "work", { headers: { ...trace, "Idempotency-Key": "k" } });
  const { id } = await page.nextCall();
  page.ack(id);
  await page.settled();
  first.destroy();
  const left = await endedSpan();
  expect(left).toMatchObject({ isError: true, parent: callersSpan, attributes: { "error.type": "caller-gone" } });
  const again = callTool(hub, "work", { headers: { "Idempotency-Key": "k" } });
  page.result(id, "{}");
  expect(JSON.parse((await again).text)).toMatchObject({ replay: true });
  const joined = await endedSpan();
  expect(joined.attributes).toMatchObject({ "pagewire.replay": true, "pagewire.outcome": "ok" });
  expect(page.calls).toHaveLength(1);
});

test("a call whose caller leaves while it waits for a tab has its span ended, too", async () => {
  const hub = await startHub({ lastRun: Date.now() });
  const waiting = beginCall(hub, "work");
  await expect.poll(() => hub.metric("pagewire_agents")).toBe(1);
  waiting.destroy();
  expect((await endedSpan()).attributes["error.type"]).toBe("caller-gone");
});

test("a hub that stops leaves no span open", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, handling(byHand));
  const agent = await connectAgent(hub.url, { token: hub.token });
  const call = agent.call("work", { id: "1" });
  call.catch(() => {});
  page.ack((await page.nextCall()).id);
  await page.settled();
  await hub.close();
  expect((await endedSpan()).isError).toBe(true);
});

test("names of any length are cut", async () => {
  const hub = await startHub();
  await sendRaw(hub, modern("tools/call", { name: "x".repeat(3000) }, { id: "i".repeat(3000) })).whole();
  const { attributes } = await endedSpan();
  expect(attributes["gen_ai.tool.name"]).toHaveLength(256);
  expect(attributes["jsonrpc.request.id"]).toHaveLength(256);
});
