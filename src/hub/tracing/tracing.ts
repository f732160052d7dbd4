import type { AgentIdentity, CallRequest } from "../../switchboard/index.ts";
import type { Outcome, TraceContext } from "../../wire/index.ts";

/** The part of a call that its span contains: never arguments or results. */
export type TracedRequest = Pick<CallRequest, "method" | "name" | "trace" | "requestId">;
export type TracedAgent = Pick<AgentIdentity, "name" | "version" | "door" | "revision" | "session">;

export interface TracedTab {
  readonly tabId: string;
  readonly app: string | undefined;
}

/** The span of one call. Only the first end counts. */
export interface CallSpan {
  /** The trace context for the page. */
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
