import type { CallEnvironment } from "../../toolbox/index.ts";

/** A caller that answers no question and receives only the result. */
export function callEnvironment(signal: AbortSignal): CallEnvironment {
  return {
    callId: "1",
    agent: { name: "tester" },
    signal,
    deadline: Infinity,
    asks: [],
    rounds: false,
    progress() {},
    log() {},
    ask: () => Promise.reject(new Error("nobody")),
  };
}
