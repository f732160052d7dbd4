import type { AskMethod, FrameFromPage, Outcome } from "../wire/index.ts";
import type { Phase } from "./call-life.ts";
import type { Asked, Call, CallAnswer, CallListener, CallTimes, InPageQuestions } from "./types.ts";

/** The request of a call that has ended. */
export interface EndedRequest extends Pick<Asked, "caller" | "request"> {
  /** How many milliseconds it had waited if it never began, or repeats another. */
  readonly waited?: number;
}

/**
 * Receives each call's outcome once, unchanged and before any of it is dropped, also for a call that goes nowhere or repeats
 * another. The call is undefined if none began or none is kept.
 */
export type OnEnded = (asked: EndedRequest, outcome: Outcome, call: Call | undefined) => void;

/** Receives the answer to each question that a page asked during a call; undefined if the call ended first. */
export type OnQuestion = (call: Call, method: AskMethod, answer: CallAnswer | undefined) => void;

/** Reports the ends of calls, with the times of their steps, and of their pages' questions, to an audit log. */
export interface CallEnds {
  readonly ended: OnEnded;
  /** Wraps a call whose outcome comes from another call, or before it begins, so that its end is reported as well. */
  wrap(asked: Asked, call?: Call): Asked;
  asked(call: Call, question: Pick<Extract<FrameFromPage, { type: "ask" }>, "ask" | "method">): void;
  answered(call: Call, ask: string, answer: CallAnswer): void;
  /** A page asks the person in front of it during a call, or has an answer. */
  readonly inPage?: InPageQuestions;
  /** A call has left a phase, or its page has reported progress. */
  stepped?(call: Call, before: Phase | "report"): void;
}

/** Reports the end of every call, and of every question that a page asks during a call. */
export function createCallEnds(onEnded: OnEnded, onQuestion: OnQuestion, now: () => number): CallEnds {
  const open = new WeakMap<Call, Map<string, AskMethod>>();
  const sinceStart = ({ startedAt }: Call) => Math.round((now() - startedAt) * 10);
  return {
    ended(asked, outcome, call) {
      onEnded(asked, outcome, call);
      if (!call) return;
      call.times = undefined;
      for (const method of open.get(call)?.values() ?? []) onQuestion(call, method, undefined);
    },
    wrap(asked, call) {
      const { caller, request, listener } = asked;
      const { ask } = listener;
      const since = now();
      const reporting: CallListener = {
        ended(outcome) {
          onEnded({ caller, request, waited: now() - since }, outcome, call);
          listener.ended(outcome);
        },
        acked: (tabId) => listener.acked?.(tabId),
        progress: (...values) => listener.progress?.(...values),
        log: (...values) => listener.log?.(...values),
        ...(ask && { ask: ask.bind(listener) }),
      };
      return { caller, request, listener: reporting };
    },
    asked(call, { ask, method }) {
      const questions = open.get(call) ?? new Map<string, AskMethod>();
      open.set(call, questions.set(ask, method));
      const times = timesOf(call);
      if (++times.questions === 1) times.firstQuestion = sinceStart(call);
    },
    answered(call, ask, answer) {
      const method = open.get(call)?.get(ask);
      if (!method || !open.get(call)?.delete(ask)) return;
      timesOf(call).lastAnswer = sinceStart(call);
      onQuestion(call, method, answer);
    },
    stepped(call, before) {
      const { phase } = call;
      if (phase === before || phase === "ended") return;
      const times = timesOf(call);
      if (before === "report") {
        times.lastReport = sinceStart(call);
        if (++times.reports === 1) times.firstReport = times.lastReport;
      } else if (phase === "running") times.acked = sinceStart(call);
      else if (phase === "sent") times.sent = sinceStart(call);
      else if (phase === "sent-again") times.resent = sinceStart(call);
    },
  };
}

function timesOf(call: Call): CallTimes {
  call.times ??= {
    sent: -1,
    resent: -1,
    acked: -1,
    reports: 0,
    firstReport: -1,
    lastReport: -1,
    questions: 0,
    firstQuestion: -1,
    lastAnswer: -1,
  };
  return call.times;
}

export const noReports: CallEnds = { ended: () => {}, wrap: (asked) => asked, asked: () => {}, answered: () => {} };
