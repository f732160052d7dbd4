import { parseTrace } from "../../wire/index.ts";
import type { TraceContext } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";

/** Where whoever started this command is in a trace, as it says in TRACEPARENT and TRACESTATE. */
export function environmentTrace({ environment }: Pick<Io, "environment">): TraceContext | undefined {
  return parseTrace({ traceparent: environment["TRACEPARENT"], tracestate: environment["TRACESTATE"] });
}
