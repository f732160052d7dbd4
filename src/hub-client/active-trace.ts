// Where the code that runs is in a trace, as OpenTelemetry's API knows it. A program that traces has loaded the API, which
// keeps itself in the global object under a name that all of its version 1 share. So nothing is loaded here, and a bundle
// needs no package that its program may not have.
import { parseTrace } from "../wire/index.ts";
import type { TraceContext } from "../wire/index.ts";

/** As much of the API as is needed. */
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

/** Undefined where there is no such API, or no span is active. */
export function activeTrace(): TraceContext | undefined {
  const { [api]: telemetry } = globalThis as { readonly [api]?: OpenTelemetry };
  const span = telemetry?.context?.active().getValue(spanKey) as Span | undefined;
  if (!span) return undefined;
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, "0");
  return parseTrace({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() });
}
