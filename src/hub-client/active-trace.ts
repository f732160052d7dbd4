// The current position in a trace, from OpenTelemetry's API. A program with tracing has loaded the API, which registers
// itself in the global object under a name that its version 1 guarantees. So nothing is loaded here, and a bundle
// needs no package that its program may not have.
import { parseTrace } from "../wire/index.ts";
import type { TraceContext } from "../wire/index.ts";

/** The part of the API that is used. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

interface Span {
  spanContext(): {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly traceState?: { serialize(): string };
  };
}

const api = Symbol.for("opentelemetry.js.api.1");
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** Undefined without this API, or without an active span. */
export function activeTrace(): TraceContext | undefined {
  const { [api]: telemetry } = globalThis as { readonly [api]?: OpenTelemetry };
  const span = telemetry?.context?.active().getValue(spanKey) as Span | undefined;
  if (!span) return undefined;
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, "0");
  return parseTrace({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() });
}
