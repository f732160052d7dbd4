import type { Clock } from "../link/index.ts";
import type { AskMethod, CallMethod, ErrorCode, LogLevel, Outcome, Payload } from "../wire/index.ts";

/** Time, of a process that may stand still while calls come. */
export interface CallClock extends Clock {
  /** How long a call that is read now may have lain unread, in milliseconds. */
  unread?(): number;
}

/** One use of a tool, resource, prompt or completion, as an agent asks for it. */
export interface CallRequest {
  readonly method: CallMethod;
  /** The name, or URI, as this agent was shown it. */
  readonly name: string;
  /** A JSON object, as text or bytes; it is passed on as it is. */
  readonly arguments: Payload;
  readonly tab?: string | undefined;
  /** Whether the name is what the tab itself calls it, whatever the list does. */
  readonly isOwnName?: true | undefined;
  /** The same key again is given the same outcome, never a second run. */
  readonly key?: string | undefined;
  /** Milliseconds that the call may take. */
  readonly left?: number | undefined;
  /** What the page may ask this call's caller. */
  readonly asks?: readonly AskMethod[] | undefined;
  /** Whether the caller takes an input_required result, and calls again with the answers. */
  readonly rounds?: boolean | undefined;
  /** Such answers: JSON text of an object with `inputResponses` and `requestState`. */
  readonly input?: string | undefined;
  /** Why no new call may begin now, if so. One that repeats another is answered all the same. */
  readonly refusal?: Outcome | undefined;
}

/** What a caller hears. `ended` comes exactly once, never before `call` has returned, and last. */
export interface CallListener {
  ended(outcome: Outcome): void;
  acked?(tabId: string): void;
  progress?(progress: number, total: number | undefined, message: string | undefined): void;
  log?(level: LogLevel, data: Payload, logger: string | undefined): void;
  /** A question of the page's; only for a caller that said it can ask. */
  ask?(ask: string, method: AskMethod, parameters: Payload): void;
}

/** The caller's answer to a question, or why there is none. */
export type CallAnswer = { readonly payload: Payload } | { readonly code: ErrorCode; readonly message: string };

/** A call in the hands of its caller. */
export interface CallHandle {
  readonly id: string;
  /** The caller does not want it any more: it ends as cancelled, and the handler's signal is aborted. */
  cancel(reason?: string): void;
  /** The caller's connection is gone, perhaps before the outcome reached it; it may come back and ask again. */
  cut(): void;
  /** The outcome has reached the caller, which will not come back for it: it need not be kept. */
  received(): void;
  answer(ask: string, answer: CallAnswer): void;
}
