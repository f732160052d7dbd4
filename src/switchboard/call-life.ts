// The life of one call as a pure state machine: it decides outcomes, sends nothing and has no clock.
import { isErrorCode } from "../wire/index.ts";
import type { ErrorCode, FrameFromPage, Outcome, OutcomeName, Payload, Ran } from "../wire/index.ts";

/**
 * Phases of a call. Waiting: its tab is away. Sent: no ack yet. In doubt: the link was cut before an ack came. Sent again:
 * after that, with no ack yet; it is in doubt again if the tab goes away. Running: the page acked it.
 */
export type Phase = "waiting" | "sent" | "in-doubt" | "sent-again" | "running" | "ended";

const codes = {
  "page-gone": "tab-gone",
  "not-delivered": "not-delivered",
  "page-suspended": "tab-suspended",
  "deadline-exceeded": "deadline-exceeded",
  cancelled: "cancelled",
  expired: "key-expired",
  "outcome-unknown": "outcome-unknown",
} as const satisfies Partial<Record<OutcomeName, ErrorCode>>;

export type LifeEvent =
  | { readonly event: "sent" }
  | { readonly event: "acked" }
  | { readonly event: "answered"; readonly outcome: Outcome }
  | { readonly event: "tab-cut" }
  | { readonly event: "tab-forgot" }
  | { readonly event: "tab-left" }
  | { readonly event: "tab-gone" }
  | { readonly event: "tab-suspended" }
  | { readonly event: "refused"; readonly refusal: (ran: Ran) => Outcome }
  | { readonly event: "deadline" }
  | { readonly event: "cancelled"; readonly message: string };

export interface Step {
  readonly phase: Phase;
  /** Only in the step that ends the call. */
  readonly outcome?: Outcome;
}

/** The next step of a call. An event that does not apply to the phase changes nothing. */
export function nextStep(phase: Phase, event: LifeEvent): Step {
  if (phase === "ended") return { phase };
  switch (event.event) {
    case "sent":
      return { phase: whenSent[phase] };
    case "acked":
      return { phase: phase === "waiting" ? phase : "running" };
    case "answered":
      return phase === "waiting" ? { phase } : { phase: "ended", outcome: event.outcome };
    case "tab-cut":
      return { phase: phase === "sent" || phase === "sent-again" ? "in-doubt" : phase };
    case "tab-forgot":
      return phase === "waiting" ? { phase } : { phase: "ended", outcome: forgotten };
    case "tab-left":
      return phase === "waiting" ? { phase } : { phase: "ended", outcome: whenGone[phase] };
    case "tab-gone":
      return { phase: "ended", outcome: whenGone[phase] };
    case "tab-suspended":
      return { phase: "ended", outcome: whenSuspended(phase) };
    case "refused":
      return { phase: "ended", outcome: event.refusal(mayHaveRun(phase)) };
    case "deadline":
      return { phase: "ended", outcome: whenLate(phase) };
    case "cancelled":
      return { phase: "ended", outcome: end("cancelled", mayHaveRun(phase), event.message) };
  }
}

const whenSent = {
  waiting: "sent",
  sent: "sent",
  "in-doubt": "sent-again",
  "sent-again": "sent-again",
  running: "running",
} as const;

const inDoubt = end(
  "outcome-unknown",
  "maybe",
  "The tab was cut off and did not come back; the call may have run. Look before you try again.",
);

const forgotten = end(
  "outcome-unknown",
  "maybe",
  "The tab came back without its memory of the call, as after a crash; the call may have run. Look before you try again.",
);

const whenGone: Record<Exclude<Phase, "ended">, Outcome> = {
  waiting: end("page-gone", "no", "The tab went away before the call could be given to it. It is safe to try again."),
  sent: end("not-delivered", "no", "The tab went away before it took the call. It is safe to try again."),
  "in-doubt": inDoubt,
  "sent-again": inDoubt,
  running: end(
    "outcome-unknown",
    "maybe",
    "The tab went away while the tool ran; it may have done its work. Look before you try again.",
  ),
};

function whenSuspended(phase: Phase): Outcome {
  const ran = mayHaveRun(phase);
  const next =
    ran === "no"
      ? "It is safe to try again once the tab is shown."
      : "The call may have begun, and may go on when the tab is shown. Look before you try again.";
  return end("page-suspended", ran, `The browser suspended the tab. ${next}`);
}

function whenLate(phase: Phase): Outcome {
  const ran = mayHaveRun(phase);
  const message = ran === "no" ? "The tab did not come back in time; nothing ran." : "The tool did not answer in time.";
  return end("deadline-exceeded", ran, message);
}

function mayHaveRun(phase: Phase): Ran {
  return phase === "waiting" ? "no" : "maybe";
}

export function end(outcome: keyof typeof codes, ran: Ran, message: string): Outcome {
  return { outcome, ran, code: codes[outcome], message };
}

/** The refusal of a call that was never sent. */
export function rejection(code: ErrorCode, message: string, retryAfter?: number): Outcome {
  return { outcome: "rejected", ran: "no", code, message, retryAfter };
}

/** Whether the hub's policy refused a call. This does not tell whether its key was used before. */
export function isOfPolicy({ code }: Outcome): boolean {
  return code?.startsWith("policy-") === true;
}

type FrameOf<Type extends FrameFromPage["type"]> = Extract<FrameFromPage, { type: Type }>;

/** The outcome of a call whose page sent a result; `rounds`: its caller accepts questions as a result. */
export function resultFrom({ isError, inputRequired }: FrameOf<"result">, payload: Payload, rounds?: boolean): Outcome {
  if (!inputRequired) return { outcome: isError ? "tool-error" : "ok", ran: "yes", payload };
  if (rounds) return { outcome: "ok", ran: "yes", payload, inputRequired };
  const message = "The page answered with questions, which this caller does not take.";
  return { outcome: "tool-error", ran: "yes", code: "output-invalid", message };
}

/** The outcome of a call that failed in its page. A page may report only outcomes that it can know. */
export function failureFrom({ outcome, ran, code, message, retryAfter }: FrameOf<"failure">): Outcome {
  return {
    outcome: fromPages.includes(outcome) ? outcome : "outcome-unknown",
    ran,
    code: isErrorCode(code) ? code : "internal-error",
    message,
    retryAfter,
  };
}

const fromPages: readonly OutcomeName[] = [
  "tool-error",
  "rejected",
  "deadline-exceeded",
  "cancelled",
  "expired",
  "outcome-unknown",
];
