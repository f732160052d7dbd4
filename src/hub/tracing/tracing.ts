import type { AgentIdentity, CallRequest } from "../../switchboard/index.ts";
import type { Outcome, TraceContext } from "../../wire/index.ts";

/** As much of a call as its span tells of: never its arguments or its result. */
export type TracedRequest = Pick<CallRequest, "method" | "name" | "trace" | "requestId">;
export type TracedAgent = Pick<AgentIdentity, "name" | "version" | "door" | "revision" | "session">;

/** A tab, as a span names it. */
export interface TracedTab {
  readonly tabId: string;
  readonly app: string | undefined;
}

/** The span of one call. The first of its two ends counts. */
export interface CallSpan {
  /** The span's own place in the trace, for the page. */
  readonly trace: TraceContext | undefined;
  ended(outcome: Outcome, tab?: TracedTab): void;
  /** The caller is gone, and with it whoever the outcome was for. */
  left(tab?: TracedTab): void;
}

/** Tells of calls as spans of OpenTelemetry. */
export interface Tracing {
  /** Begins the span of a call; undefined while nobody records spans. */
  begin(request: TracedRequest, agent: TracedAgent): CallSpan | undefined;
  /** Where the code that runs is in a trace, by a span of whoever else tells of this process. */
  current(): TraceContext | undefined;
}
