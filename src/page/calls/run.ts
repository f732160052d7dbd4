// A running call, which is also the environment that its toolbox needs.
import type { CallEnvironment, CallInput } from "../../toolbox/index.ts";
import { isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { FrameToPage, JsonObject, PagewireError } from "../../wire/index.ts";
import { dialogShown } from "../dialog/dialog.ts";
import type { RememberedCall } from "./call-memory.ts";
import type { Questions } from "./questions.ts";

type CallFrame = Extract<FrameToPage, { type: "call" }>;

export interface Run extends CallEnvironment {
  readonly call: RememberedCall;
  readonly frame: CallFrame;
  /** The hub's id of this tab when the call began. */
  readonly tab: string;
  readonly startedAt: number;
  /** Whether it was answered. */
  isClosed: boolean;
  /** Whether nothing of it may begin any more: a page that stood still has not seen its deadline pass. */
  readonly isOver: boolean;
  stopTimer(): void;
  /** Created when the handler, or a dialog, first needs the signal. */
  aborter?: AbortController;
  /** Why it was aborted, once it was. */
  reason?: PagewireError;
  /** Loaded with the first question. */
  questions?: Promise<Questions>;
}

/** A run's questions, if it has any; those whose code could not be loaded have already failed. */
export function ifAsked(run: Run | undefined, use: (questions: Questions) => void): void {
  void run?.questions?.then(use, () => {});
}

export function signalOf(run: Run): AbortSignal {
  if (run.aborter) return run.aborter.signal;
  const { signal } = (run.aborter = new AbortController());
  // However a tool opens a dialog, it passes the call's signal.
  signal.addEventListener(dialogShown, (event) => run.log("notice", (event as CustomEvent<string>).detail));
  if (run.reason) run.aborter.abort(run.reason);
  return signal;
}

/** Parses a call's arguments, and the caller's input where the call is another round; undefined if malformed. */
export function parsePayload(
  { input }: CallFrame,
  payload: string,
  deepest: number,
): { readonly given: JsonObject; readonly input?: CallInput } | undefined {
  if (!input) {
    const given = payload ? parseJsonObject(payload, deepest) : {};
    return given && { given };
  }
  // One level deeper, because the arguments are wrapped here.
  const {
    arguments: given,
    inputResponses: responses = {},
    requestState: state,
  } = parseJsonObject(payload, deepest + 1) ?? {};
  if (!isJsonObject(given) || !isJsonObject(responses)) return undefined;
  if (state === undefined) return { given, input: { responses } };
  return typeof state === "string" ? { given, input: { responses, state } } : undefined;
}
