// A call's position in its caller's trace: https://www.w3.org/TR/trace-context/. Malformed values are ignored.

/** The caller's position in a trace, as its headers `traceparent` and `tracestate`. */
export interface TraceContext {
  /** Of version 00: `00-<trace id>-<span id>-<flags>`, in lower-case hexadecimal digits. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** A later version may add more at the end. */
const parent = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-|$)/;

/** Parses the trace in HTTP headers, MCP's `_meta` or a frame; undefined if there is none. Never throws. */
export function parseTrace(carrier: unknown): TraceContext | undefined {
  const { traceparent, tracestate } = Object(carrier) as Readonly<Record<keyof TraceContext, unknown>>;
  const [text, trace, span, flags] = (typeof traceparent === "string" && parent.exec(traceparent)) || [];
  if (text === undefined) return undefined;
  // Of a later version only this flag is known: the caller records the trace.
  const known = text.startsWith("00") ? text : `00-${trace}-${span}-0${Number(`0x${flags}`) & 1}`;
  const state = parseState(tracestate);
  // No undefined property: the result may be spread into headers.
  return state === undefined ? { traceparent: known } : { traceparent: known, tracestate: state };
}

const member = /^[a-z\d][a-z\d_*/@-]*=[ -+\--<>-~]*[!-+\--<>-~]$/;
const membersMost = 32;
const stateMost = 512;

/** Vendors' own data of a trace. Any error invalidates all of it, but not the trace. */
function parseState(state: unknown): string | undefined {
  if (typeof state !== "string" || state.length > stateMost) return undefined;
  const members = state.split(",").map((one) => one.trim());
  const said = members.filter((one) => one !== "");
  const isSound = said.length > 0 && said.length <= membersMost && said.every((one) => member.test(one));
  return isSound ? said.join(",") : undefined;
}
