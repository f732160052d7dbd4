import type { CallEnds, CallListener, OnEnded } from "./types.ts";

/** Has somebody told of the end of every call. */
export function createCallEnds(ended: OnEnded): CallEnds {
  return {
    ended,
    told(asked, call) {
      const { caller, request, listener } = asked;
      const { ask } = listener;
      const telling: CallListener = {
        ended(outcome) {
          ended(asked, outcome, call);
          listener.ended(outcome);
        },
        acked: (tabId) => listener.acked?.(tabId),
        progress: (...said) => listener.progress?.(...said),
        log: (...said) => listener.log?.(...said),
        ...(ask && { ask: ask.bind(listener) }),
      };
      return { caller, request, listener: telling };
    },
  };
}

/** Where nobody is to be told. */
export const untold: CallEnds = { ended: () => {}, told: (asked) => asked };
