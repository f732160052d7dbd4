// A span provider, registered as a user of the hub would do it: there is one per process, and tests inspect its spans.
import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, SpanStatusCode, context, trace } from "@opentelemetry/api";
import type { Attributes, Context, ContextManager } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { expect } from "vitest";

const exporter = new InMemorySpanExporter();
let begun = 0;

/** Registers a provider that stores every span. */
export function recordSpans(): void {
  const counter = {
    onStart: () => void begun++,
    onEnd() {},
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const spanProcessors = [counter, new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
}

/** The part of a span that tests inspect. */
export interface SeenSpan {
  readonly name: string;
  readonly attributes: Attributes;
  readonly isError: boolean;
  readonly traceparent: string;
  /** The span id of its parent. */
  readonly parent: string | undefined;
  readonly all: ReadableSpan;
}

/** The spans that ended since the last call; waits for `count` of them, and fails if one does not end. */
export async function endedSpans(count = 1): Promise<readonly SeenSpan[]> {
  await expect.poll(() => exporter.getFinishedSpans().length).toBe(count);
  expect(begun).toBe(count);
  const spans = exporter.getFinishedSpans().map(seen);
  exporter.reset();
  begun = 0;
  return spans;
}

/** The only span that ended since the last call. */
export async function endedSpan(): Promise<SeenSpan> {
  const [span] = await endedSpans();
  if (!span) throw new Error("No span ended.");
  return span;
}

function seen(span: ReadableSpan): SeenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    name: span.name,
    attributes: span.attributes,
    isError: span.status.code === SpanStatusCode.ERROR,
    traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
    parent: span.parentSpanContext?.spanId,
    all: span,
  };
}

/** Tracks the active context as the SDK for Node does; for programs whose HTTP requests have their own spans. */
export function keepContext(): void {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, ...[self, ...given]) => storage.run(active, () => run.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
}
