// Spans through the API of OpenTelemetry. The registered provider exports them; without a provider there are none.
import type { ProxyTracerProvider, SpanContext, Tracer, TracerProvider, Attributes } from "@opentelemetry/api";
import { messageOf, parseTrace } from "../../wire/index.ts";
import type { Outcome, TraceContext } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { version } from "../common/version.ts";
import { rpcErrorOf } from "../../mcp/index.ts";
import type { AgentIdentity, CallRequest } from "../../switchboard/index.ts";

const longest = 256;
const cut = (text: string | number) => String(text).slice(0, longest);

/** By method: the attribute for the call's target, and whether it has few enough values for the span's name. */
const targets: Readonly<Record<string, { readonly attribute: string; readonly isFew: boolean }>> = {
  "tools/call": { attribute: "gen_ai.tool.name", isFew: true },
  "prompts/get": { attribute: "gen_ai.prompt.name", isFew: true },
  "resources/read": { attribute: "mcp.resource.uri", isFew: false },
};

const protocols: Readonly<Record<string, string>> = {
  mcp: "http",
  http: "http",
  delegate: "http",
  socket: "websocket",
};

/** The name of a span, and of all that use nothing that is known. */
function methodOf(method: string, { door }: TracedAgent): string {
  return method === "tools/call" && door !== "mcp" ? "execute_tool" : method;
}

function nameOfSpan({ method, name }: TracedRequest, agent: TracedAgent): string {
  const word = methodOf(method, agent);
  return targets[method]?.isFew ? `${word} ${cut(name)}` : word;
}

function startOfSpan(request: TracedRequest, agent: TracedAgent): Attributes {
  const { method, name, requestId } = request;
  const { door = "unknown", revision, session } = agent;
  const target = targets[method];
  const protocol = protocols[door];
  const attributes: Attributes = { "pagewire.door": door, "pagewire.agent.name": agent.name };
  if (door === "mcp") attributes["mcp.method.name"] = method;
  if (revision !== undefined) attributes["mcp.protocol.version"] = revision;
  if (session !== undefined) attributes["mcp.session.id"] = session;
  if (requestId !== undefined) attributes["jsonrpc.request.id"] = cut(requestId);
  if (method === "tools/call") attributes["gen_ai.operation.name"] = "execute_tool";
  if (target) attributes[target.attribute] = cut(name);
  if (protocol !== undefined) attributes["network.transport"] = "tcp";
  if (protocol !== undefined) attributes["network.protocol.name"] = protocol;
  if (agent.version !== undefined) attributes["pagewire.agent.version"] = agent.version;
  return attributes;
}

interface SpanEnd {
  readonly attributes: Attributes;
  readonly isError: boolean;
  /** Whether the called name does not exist. */
  readonly isUnknown: boolean;
}

interface CallEnd extends Pick<TracedRequest, "method" | "name"> {
  readonly door: string | undefined;
  /** Undefined if the caller disconnected. */
  readonly outcome: Outcome | undefined;
  readonly tab: TracedTab | undefined;
}

function endOfSpan({ method, name, door, outcome, tab }: CallEnd): SpanEnd {
  const attributes: Attributes = {};
  if (tab) attributes["pagewire.tab"] = tab.tabId;
  if (tab?.app !== undefined) attributes["pagewire.app"] = tab.app;
  if (!outcome) {
    attributes["error.type"] = "caller-gone";
    return { attributes, isError: true, isUnknown: false };
  }
  const { code, replay } = outcome;
  attributes["pagewire.outcome"] = outcome.outcome;
  attributes["pagewire.ran"] = outcome.ran;
  if (code !== undefined) attributes["pagewire.code"] = code;
  if (replay) attributes["pagewire.replay"] = true;
  const rpcCode = door === "mcp" ? rpcErrorOf(outcome, { method, name })?.code : undefined;
  if (rpcCode !== undefined) attributes["rpc.response.status_code"] = String(rpcCode);
  const type = errorTypeOf(outcome, rpcCode);
  if (type !== undefined) attributes["error.type"] = type;
  const isUnknown = code === "tool-not-found" || code === "offer-not-found";
  return { attributes, isError: type !== undefined, isUnknown };
}

function errorTypeOf({ outcome, code }: Outcome, rpcCode: number | undefined): string | undefined {
  if (rpcCode !== undefined) return String(rpcCode);
  if (outcome === "tool-error") return "tool_error";
  return outcome === "ok" ? undefined : (code ?? outcome);
}

type Api = typeof import("@opentelemetry/api");

export function createTracing(api: Api, note: Note): Tracing {
  /** The context in which the hub was created is inherited by its sockets, though its span ended long ago. */
  const atBirth = api.context.active();
  let tracer: Tracer | undefined;
  let isBroken = false;

  function findTracer(): Tracer | undefined {
    // The API's proxy provider returns no-op tracers until a real provider is registered.
    const provider: TracerProvider & Partial<ProxyTracerProvider> = api.trace.getTracerProvider();
    const find = provider.getDelegateTracer ?? provider.getTracer;
    return find.call(provider, "pagewire", version);
  }

  function activeSpan(): SpanContext | undefined {
    const context = api.context.active();
    return context === atBirth ? undefined : api.trace.getSpanContext(context);
  }

  /** After an error, this and all later calls run without spans. */
  function failed(error: unknown): void {
    isBroken = true;
    note("error", "tracing-failed", { message: messageOf(error) });
  }

  function start(recording: Tracer, request: TracedRequest, agent: TracedAgent): CallSpan {
    // Copies fields, so that the span does not keep the call's arguments in memory.
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
        // Unknown names must not become span names, because callers can make up any number.
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

/** Undefined for the invalid context of a no-op span. */
function traceContextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext | undefined {
  const flags = traceFlags.toString(16).padStart(2, "0");
  return parseTrace({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() });
}

/** The part of a call that its span contains: never arguments or results. */
type TracedRequest = Pick<CallRequest, "method" | "name" | "trace" | "requestId">;
type TracedAgent = Pick<AgentIdentity, "name" | "version" | "door" | "revision" | "session">;

export interface TracedTab {
  readonly tabId: string;
  readonly app: string | undefined;
}

/** The span of one call. Only the first end counts. */
export interface CallSpan {
  readonly trace: TraceContext | undefined;
  ended(outcome: Outcome, tab?: TracedTab): void;
  /** Ends the span when the caller has disconnected. */
  left(tab?: TracedTab): void;
}

/** Records calls as OpenTelemetry spans. */
export interface Tracing {
  /** Begins the span of a call; undefined if no spans are recorded. */
  begin(request: TracedRequest, agent: TracedAgent): CallSpan | undefined;
  /** The active trace context, from other instrumentation of this process. */
  current(): TraceContext | undefined;
}
