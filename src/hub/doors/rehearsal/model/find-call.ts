import type { RehearsalCall, RehearsalMessage } from "./request.ts";

/** The last call with an id. It is looked for from the end: results follow their calls. */
export function findCall(messages: readonly RehearsalMessage[], id: string): RehearsalCall | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    const call = message?.role === "assistant" ? message.calls.find((one) => one.id === id) : undefined;
    if (call) return call;
  }
  return undefined;
}
