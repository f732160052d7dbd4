import type { CallOutcome } from "../../toolbox/index.ts";
import { isJsonObject, outcomeNames } from "../../wire/index.ts";
import type { ErrorCode, FrameFromPage, Json, OutcomeName, Ran } from "../../wire/index.ts";

type WithoutId<Frame> = Frame extends unknown ? Omit<Frame, "id"> : never;

/** The final answer to a call, without an id: each request adds its own. */
export interface Answer {
  readonly frame: WithoutId<Extract<FrameFromPage, { type: "result" | "failure" }>>;
  readonly payload: string;
}

/** Why a call ends without a result. */
export interface Failure {
  readonly outcome: OutcomeName;
  readonly code: ErrorCode;
  readonly message: string;
  /** Whether the handler ran; by default it did not. */
  readonly ran?: Ran;
}

/** Why a call is aborted when the page is closed. */
export const pageClosed: Failure = {
  outcome: "cancelled",
  code: "cancelled",
  message: "The page stopped offering its tools.",
  ran: "maybe",
};

/** The answer to a call that ends without a result. */
export function failure({ ran = "no", ...rest }: Failure): Answer {
  return { frame: { type: "failure", ran, ...rest }, payload: "" };
}

/** The answer to a call that was running when its document ended, or that is unknown. */
export const forgotten = failure({
  outcome: "outcome-unknown",
  code: "outcome-unknown",
  message: "The page was reloaded while the call ran, or forgot it.",
  ran: "maybe",
});

export const tooLate = failure({
  outcome: "deadline-exceeded",
  code: "deadline-exceeded",
  message: "The call came too late and was not run.",
});
export const notAllowed = failure({
  outcome: "rejected",
  code: "policy-declined",
  message: "The page's user did not allow the call.",
});
export const keyConflict = failure({
  outcome: "rejected",
  code: "key-conflict",
  message: "The key was used for another tool or other arguments. Use a new key.",
});
export const notAnObject = failure({
  outcome: "rejected",
  code: "arguments-malformed",
  message: "The arguments of the call, or what was answered, are not a JSON object, or nest too deeply.",
});
export const timeIsUp: Failure = {
  outcome: "deadline-exceeded",
  code: "deadline-exceeded",
  message: "The time for this call is up.",
  ran: "maybe",
};

/** Converts a toolbox's outcome; `abortion` is the reason if the call was aborted. */
export function answerOf(outcome: CallOutcome, abortion: Failure): Answer {
  switch (outcome.kind) {
    case "result": {
      const { payload, isError, inputRequired } = outcome;
      return { frame: { type: "result", isError: isError || undefined, inputRequired }, payload };
    }
    case "refused":
      return failure({ outcome: "rejected", code: outcome.code, message: outcome.message });
    case "failed":
      return failure({ outcome: "tool-error", code: outcome.code, message: outcome.message, ran: "yes" });
    case "aborted":
      return failure(abortion);
  }
}

export function outcomeOf({ frame }: Answer): OutcomeName {
  return frame.type === "failure" ? frame.outcome : frame.isError ? "tool-error" : "ok";
}

/** Parses a stored answer; undefined if a hub would not accept it. */
export function parseAnswer(saved: Json): Answer | undefined {
  if (!isJsonObject(saved) || !isJsonObject(saved["frame"]) || typeof saved["payload"] !== "string") return undefined;
  const { payload, frame } = saved;
  const { type, isError, inputRequired, outcome, ran, code, message } = frame;
  if (type === "result") {
    return {
      frame: { type, isError: isError === true || undefined, inputRequired: inputRequired === true || undefined },
      payload,
    };
  }
  const isFailure =
    isOneOf(outcomeNames, outcome) && isOneOf(answersToRan, ran) && isShort(code, 64) && isShort(message, 4096);
  return isFailure ? failure({ outcome, ran, code: code as ErrorCode, message }) : undefined;
}

const answersToRan: readonly Ran[] = ["yes", "no", "maybe"];

function isOneOf<Word>(words: readonly Word[], value: unknown): value is Word {
  return words.includes(value as Word);
}

function isShort(value: unknown, longest: number): value is string {
  return typeof value === "string" && value.length <= longest;
}
