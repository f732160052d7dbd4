import type { AskMethod } from "../wire/index.ts";
import type { Call, CallEnds, CallListener, OnEnded, OnQuestion } from "./types.ts";

/** Reports the end of every call, and of every question that a page asks during a call. */
export function createCallEnds(onEnded: OnEnded, onQuestion: OnQuestion): CallEnds {
  const open = new WeakMap<Call, Map<string, AskMethod>>();
  return {
    ended(asked, outcome, call) {
      onEnded(asked, outcome, call);
      if (call) for (const method of open.get(call)?.values() ?? []) onQuestion(call, method, undefined);
    },
    told(asked, call) {
      const { caller, request, listener } = asked;
      const { ask } = listener;
      const telling: CallListener = {
        ended(outcome) {
          onEnded(asked, outcome, call);
          listener.ended(outcome);
        },
        acked: (tabId) => listener.acked?.(tabId),
        progress: (...said) => listener.progress?.(...said),
        log: (...said) => listener.log?.(...said),
        ...(ask && { ask: ask.bind(listener) }),
      };
      return { caller, request, listener: telling };
    },
    asked(call, { ask, method }) {
      const questions = open.get(call) ?? new Map<string, AskMethod>();
      open.set(call, questions.set(ask, method));
    },
    answered(call, ask, answer) {
      const method = open.get(call)?.get(ask);
      if (method && open.get(call)?.delete(ask)) onQuestion(call, method, answer);
    },
  };
}

/** Reports nothing. */
export const untold: CallEnds = { ended: () => {}, told: (asked) => asked, asked: () => {}, answered: () => {} };
