// Where a call is in its caller's trace: https://www.w3.org/TR/trace-context/. What is malformed is as good as not said.

/** The caller's place in a trace, as its headers `traceparent` and `tracestate` say it. */
export interface TraceContext {
  /** Of version 00: `00-<trace id>-<span id>-<flags>`, in lower-case hexadecimal digits. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** A later version may say more, behind what the first one says. */
const parent = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-|$)/;

/** Reads what headers of HTTP, MCP's `_meta` or a frame say of a trace; undefined where that is nothing. Never throws. */
export function parseTrace(carrier: unknown): TraceContext | undefined {
  const { traceparent, tracestate } = Object(carrier) as Readonly<Record<keyof TraceContext, unknown>>;
  const [text, trace, span, flags] = (typeof traceparent === "string" && parent.exec(traceparent)) || [];
  if (text === undefined) return undefined;
  // Of a later version only this flag is known: the caller keeps the trace.
  const known = text.startsWith("00") ? text : `00-${trace}-${span}-0${Number(`0x${flags}`) & 1}`;
  const state = parseState(tracestate);
  // No name without its value: whoever sends these on may spread them into headers.
  return state === undefined ? { traceparent: known } : { traceparent: known, tracestate: state };
}

const member = /^[a-z\d][a-z\d_*/@-]*=[ -+\--<>-~]*[!-+\--<>-~]$/;
const membersMost = 32;
const stateMost = 512;

/** What systems say of a trace for themselves. One mistake makes all of it worth nothing, and the trace is still known. */
function parseState(state: unknown): string | undefined {
  if (typeof state !== "string" || state.length > stateMost) return undefined;
  const members = state.split(",").map((one) => one.trim());
  const said = members.filter((one) => one !== "");
  const isSound = said.length > 0 && said.length <= membersMost && said.every((one) => member.test(one));
  return isSound ? said.join(",") : undefined;
}
