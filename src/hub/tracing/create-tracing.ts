// Spans by the API of OpenTelemetry. Whoever registered a provider with it decides what becomes of them; without one there
// are none.
import type { ProxyTracerProvider, SpanContext, Tracer, TracerProvider } from "@opentelemetry/api";
import { messageOf, parseTrace } from "../../wire/index.ts";
import type { Outcome, TraceContext } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { version } from "../common/version.ts";
import { endOfSpan, methodOf, nameOfSpan, startOfSpan } from "./describe-span.ts";
import type { CallSpan, TracedAgent, TracedRequest, TracedTab, Tracing } from "./tracing.ts";

type Api = typeof import("@opentelemetry/api");

export function createTracing(api: Api, note: Note): Tracing {
  /** What was active when the hub was made is active in all that its sockets do, and long over. */
  const atBirth = api.context.active();
  let tracer: Tracer | undefined;
  let isBroken = false;

  function findTracer(): Tracer | undefined {
    // The API has a provider of its own, which gives tracers that do nothing while it stands for no other.
    const provider: TracerProvider & Partial<ProxyTracerProvider> = api.trace.getTracerProvider();
    const find = provider.getDelegateTracer ?? provider.getTracer;
    return find.call(provider, "pagewire", version);
  }

  function activeSpan(): SpanContext | undefined {
    const context = api.context.active();
    return context === atBirth ? undefined : api.trace.getSpanContext(context);
  }

  /** A call goes on without its span, and so do all that follow. */
  function failed(error: unknown): void {
    isBroken = true;
    note("error", "tracing-failed", { message: messageOf(error) });
  }

  function start(recording: Tracer, request: TracedRequest, agent: TracedAgent): CallSpan {
    // Not all of it: what a call was given is let go of before its span may be.
    const { method, name, trace } = request;
    const active = activeSpan();
    const parent = trace && spanContextOf(trace, api);
    const isOther = active !== undefined && active.spanId !== parent?.spanId;
    const context = parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
    const span = recording.startSpan(
      nameOfSpan(request, agent),
      {
        kind: api.SpanKind.SERVER,
        attributes: startOfSpan(request, agent),
        ...(isOther && { links: [{ context: active }] }),
      },
      context,
    );
    let isOver = false;
    function end(outcome: Outcome | undefined, tab: TracedTab | undefined): void {
      if (isOver) return;
      isOver = true;
      try {
        const { attributes, isError, isUnknown } = endOfSpan({ method, name, door: agent.door, outcome, tab });
        span.setAttributes(attributes);
        // Whatever a caller makes up would be a name of its own.
        if (isUnknown) span.updateName(methodOf(method, agent));
        if (isError) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      } catch (error) {
        failed(error);
      }
    }
    return {
      trace: traceContextOf(span.spanContext()) ?? trace,
      ended: end,
      left: (tab) => end(undefined, tab),
    };
  }

  return {
    begin(request, agent) {
      if (isBroken) return undefined;
      try {
        tracer ??= findTracer();
        return tracer && start(tracer, request, agent);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
    current: () => {
      const span = activeSpan();
      return span && traceContextOf(span);
    },
  };
}

function spanContextOf({ traceparent, tracestate }: TraceContext, api: Api): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const known = { traceId, spanId, traceFlags: Number(`0x${flags}`), isRemote: true };
  return tracestate === undefined ? known : { ...known, traceState: api.createTraceState(tracestate) };
}

/** A span of a provider that is switched off has no place in any trace. */
function traceContextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext | undefined {
  const flags = traceFlags.toString(16).padStart(2, "0");
  return parseTrace({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() });
}
