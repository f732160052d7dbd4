import { Server } from "node:http";
import { ROOT_CONTEXT, context, trace as api } from "@opentelemetry/api";
import type { Tracer } from "@opentelemetry/api";
import { beforeAll, expect, test, vi } from "vitest";
import { delegate, openTerminal } from "../doors/delegate/delegate.test-helper.ts";
import { modern, sendRaw } from "../doors/mcp/test-support/raw-mcp.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { endedSpan, endedSpans, keepContext, recordSpans } from "./test-support/recorded-spans.test-helper.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callersSpan = "b7ad6b7169203331";
const requestsSpan = "00f067aa0ba902b7";
const trace = { traceparent: `00-${traceId}-${callersSpan}-01` };

const spanContext = (spanId: string) => ({ traceId, spanId, traceFlags: 1 });
const inside = (spanId: string) => api.setSpanContext(ROOT_CONTEXT, spanContext(spanId));

/** Runs each request in its own span, as an HTTP instrumentation does. */
function tellOfRequests(): () => void {
  type Emit = (event: string, ...given: readonly unknown[]) => boolean;
  const emit = Server.prototype.emit as Emit;
  const spy = vi.spyOn(Server.prototype as { emit: Emit }, "emit").mockImplementation(function (
    this: Server,
    event,
    ...given
  ) {
    const run = () => emit.call(this, event, ...given);
    return event === "request" ? context.with(inside(requestsSpan), run) : run();
  });
  return () => spy.mockRestore();
}

beforeAll(() => {
  recordSpans();
  keepContext();
});

test("where requests have spans of their own, those of calls are their children", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const terminal = await openTerminal(hub, page.tabId);
  const stop = tellOfRequests();
  await callTool(hub, "work", { headers: trace });
  await callTool(hub, "work");
  await delegate(hub, terminal, { headers: trace });
  await sendRaw(hub, modern("tools/call", { name: "work" }, { headers: trace })).whole();
  stop();
  const spans = await endedSpans(4);
  expect(spans.map(({ parent }) => parent)).toEqual(spans.map(() => requestsSpan));
  for (const { all } of spans) expect(all.links).toEqual([]);
});

test("a trace in _meta wins over the request's span, to which there is a link", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  const stop = tellOfRequests();
  await sendRaw(hub, modern("tools/call", { name: "work" }, { meta: trace })).whole();
  stop();
  const { parent, all } = await endedSpan();
  expect(parent).toBe(callersSpan);
  expect(all.links.map((link) => link.context.spanId)).toEqual([requestsSpan]);
});

test("the span that was active when the hub was created is never a parent", async () => {
  const hub = await context.with(inside(requestsSpan), () => startHub());
  await connectPage(hub.url);
  await callTool(hub, "work");
  const { parent, all } = await endedSpan();
  expect([parent, all.links]).toEqual([undefined, []]);
});

test("a failing provider affects no call, and is logged once", async () => {
  const find = vi.spyOn(api, "getTracerProvider").mockReturnValue({
    getTracer: (): Tracer => {
      throw new Error("no tracer today");
    },
  });
  const hub = await startHub();
  const page = await connectPage(hub.url);
  for (const headers of [trace, trace]) expect((await callTool(hub, "work", { headers })).status).toBe(200);
  find.mockRestore();
  expect((await page.next("call")).frame.trace).toEqual(trace);
  const failures = hub.records.filter(({ event }) => event === "tracing-failed");
  expect(failures).toEqual([expect.objectContaining({ level: "error", message: "no tracer today" })]);
});

test("a span that cannot be ended costs no call", async () => {
  const span = api.wrapSpanContext(spanContext(requestsSpan));
  span.end = () => {
    throw new Error("no end");
  };
  const tracer = { startSpan: () => span, startActiveSpan: () => undefined } as unknown as Tracer;
  const find = vi.spyOn(api, "getTracerProvider").mockReturnValue({ getTracer: () => tracer });
  const hub = await startHub();
  const page = await connectPage(hub.url);
  for (const _ of ["one", "two"]) expect((await callTool(hub, "work", { headers: trace })).status).toBe(200);
  find.mockRestore();
  const given = [(await page.next("call")).frame.trace, (await page.next("call")).frame.trace];
  expect(given).toEqual([{ traceparent: `00-${traceId}-${requestsSpan}-01` }, trace]);
});
