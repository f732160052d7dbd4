import { defaultLimits, identifierPattern, messageOf } from "../wire/index.ts";
import type { ErrorCode, Limits } from "../wire/index.ts";
import type { HubCall, HubOutcome } from "./hub-client.ts";

/** A call that is ready to send, or the outcome of an invalid one. */
export type CheckedCall = { readonly payload: string; readonly left: number } | { readonly outcome: HubOutcome };

const LONGEST_NAME = 2048;
/** Room for the header beside the payload. */
const HEADER_ROOM = defaultLimits.headerBytes;
const encoder = new TextEncoder();

/** Refuses calls for which the hub would have to close the connection. */
export function checkCall(call: HubCall, limits: Limits): CheckedCall {
  const { name, tab, key, timeout = limits.callTime } = call;
  if (name.length > LONGEST_NAME) return rejected("tool-not-found", "There is no tool with a name of this length.");
  if (tab !== undefined && !identifierPattern.test(tab)) {
    return rejected("tab-not-found", `There is no tab ${JSON.stringify(tab)}.`);
  }
  if (key !== undefined && !identifierPattern.test(key)) {
    return rejected(
      "options-invalid",
      `The key ${JSON.stringify(key)} is not 1 to 128 printable characters without spaces.`,
    );
  }
  if (!(timeout > 0))
    return rejected("options-invalid", `The timeout must be more than 0 milliseconds, not ${timeout}.`);
  const payload = payloadOf(call);
  if (typeof payload !== "string") return payload;
  const max = limits.frameBytes - HEADER_ROOM;
  if (payload.length * 3 > max && encoder.encode(payload).length > max) {
    return rejected(
      "frame-too-large",
      `The arguments are larger than the limit frameBytes, ${limits.frameBytes} bytes.`,
    );
  }
  return { payload, left: Math.min(timeout, limits.callTimeMost) };
}

function payloadOf(call: HubCall): string | { readonly outcome: HubOutcome } {
  try {
    // A function, for example, gives undefined instead of an error.
    const payload = JSON.stringify(call.arguments ?? {}) as string | undefined;
    return payload ?? rejected("arguments-malformed", "The arguments are not a JSON object.");
  } catch (error) {
    return rejected("arguments-malformed", `The arguments cannot be written as JSON: ${messageOf(error)}`);
  }
}

function rejected(code: ErrorCode, message: string): { readonly outcome: HubOutcome } {
  return { outcome: { outcome: "rejected", ran: "no", code, message } };
}
