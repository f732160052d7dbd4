// A call in the hands of this door: what happens to it, in order, for whoever reads it. Readers may take turns: the
// request that began a call may be answered with a question, and another one come back with the answer.
import type { AgentSession, CallAnswer, CallHandle, CallListener, CallRequest } from "../../../switchboard/index.ts";
import { textOf } from "../../../wire/index.ts";
import type { AskMethod, LogLevel, Outcome } from "../../../wire/index.ts";

/** One thing that happened to a call. `ended` is the last. */
export type CallEvent =
  | { readonly kind: "progress"; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "log"; readonly level: LogLevel; readonly data: string; readonly logger: string | undefined }
  | { readonly kind: "ask"; readonly ask: string; readonly method: AskMethod; readonly parameters: string }
  | { readonly kind: "ended"; readonly outcome: Outcome };

export interface RunningCall {
  /** The tab that took it, once it did. */
  readonly tabId: string | undefined;
  /** What happened and was not read yet. */
  readonly events: CallEvent[];
  /** Called when there is a new event. Without a reader, progress and logs are dropped. */
  reader: (() => void) | undefined;
  answer(ask: string, answer: CallAnswer): void;
  cancel(reason?: string): void;
  /** Its reader's connection is gone. */
  cut(): void;
}

export function startCall(session: AgentSession, request: CallRequest): RunningCall {
  let handle: CallHandle | undefined;
  let tabId: string | undefined;
  const add = (event: CallEvent) => {
    call.events.push(event);
    call.reader?.();
  };
  const tell = (event: CallEvent) => {
    if (call.reader) add(event);
  };
  const listener: CallListener = {
    ended: (outcome) => add({ kind: "ended", outcome }),
    acked(tab) {
      tabId = tab;
    },
    progress: (progress, total, message) =>
      tell({
        kind: "progress",
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      }),
    log: (level, data, logger) => tell({ kind: "log", level, data: textOf(data), logger }),
    ask: (ask, method, parameters) => add({ kind: "ask", ask, method, parameters: textOf(parameters) }),
  };
  const call: RunningCall = {
    get tabId() {
      return tabId;
    },
    events: [],
    reader: undefined,
    answer: (ask, answer) => handle?.answer(ask, answer),
    cancel: (reason) => handle?.cancel(reason),
    cut: () => handle?.cut(),
  };
  handle = session.call(request, listener);
  return call;
}

/** The next event; "silence" when none came within so many milliseconds, or when the reader's signal aborts. */
export function nextEvent(call: RunningCall, patience: number, signal: AbortSignal): Promise<CallEvent | "silence"> {
  return new Promise((resolve) => {
    const end = (event: CallEvent | "silence") => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      if (call.reader === read) call.reader = wait;
      resolve(event);
    };
    const read = () => {
      const event = call.events.shift();
      if (event) end(event);
    };
    const stop = () => {
      if (call.reader === read) call.reader = undefined;
      end("silence");
    };
    const timer = setTimeout(end, patience, "silence");
    signal.addEventListener("abort", stop);
    call.reader = read;
    if (signal.aborted) stop();
    else read();
  });
}

/** Between two events somebody reads: nothing is dropped. */
function wait(): void {}
