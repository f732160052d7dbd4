import { parseTrace } from "../../wire/index.ts";
import type { TraceContext } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";

/** The caller's trace context, from TRACEPARENT and TRACESTATE. */
export function environmentTrace({ environment }: Pick<Io, "environment">): TraceContext | undefined {
  return parseTrace({ traceparent: environment["TRACEPARENT"], tracestate: environment["TRACESTATE"] });
}
