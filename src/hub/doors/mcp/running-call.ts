// A call in the hands of this door: what happens to it, in order, for whoever reads it. Readers may take turns: the
// request that began a call may be answered with a question, and another one come back with the answer.
import type { AgentSession, CallAnswer, CallListener, CallRequest } from "../../../switchboard/index.ts";
import { sizeOf, textOf } from "../../../wire/index.ts";
import type { AskMethod, Limits, LogLevel, Outcome } from "../../../wire/index.ts";

/** One thing that happened to a call. `ended` is the last. */
export type CallEvent =
  | { readonly kind: "progress"; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "log"; readonly level: LogLevel; readonly data: string; readonly logger: string | undefined }
  | { readonly kind: "ask"; readonly ask: string; readonly method: AskMethod; readonly parameters: string }
  | { readonly kind: "ended"; readonly outcome: Outcome };

export interface RunningCall {
  /** The tab that took it, once it did. */
  readonly tabId: string | undefined;
  /** How it ended, once it did. */
  readonly outcome: Outcome | undefined;
  /** What happened and was not read yet. */
  readonly events: CallEvent[];
  /** Called when there is a new event. Without a reader, progress and logs are dropped. */
  reader: (() => void) | undefined;
  /** Hears when it ends, whoever reads; returns a function that stops it. */
  whenEnded(listener: () => void): () => void;
  answer(ask: string, answer: CallAnswer): void;
  cancel(reason?: string): void;
  /** Its reader's connection is gone. */
  cut(): void;
  /** Its outcome has reached its reader, and is not kept. */
  received(): void;
}

export function startCall(session: AgentSession, request: CallRequest, limits: QuestionLimits): RunningCall {
  /** The questions that have no answer yet, and how large they are. */
  const questions = new Map<string, number>();
  let endListeners: Set<() => void> | undefined;
  const add = (event: CallEvent) => {
    call.events.push(event);
    call.reader?.();
  };
  const tell = (event: CallEvent) => {
    if (call.reader) add(event);
  };
  const listener: CallListener = {
    ended(outcome) {
      call.outcome = outcome;
      add({ kind: "ended", outcome });
      for (const listener of endListeners ?? []) listener();
    },
    acked(tab) {
      call.tabId = tab;
    },
    progress: (progress, total, message) =>
      tell({
        kind: "progress",
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      }),
    log: (level, data, logger) => tell({ kind: "log", level, data: textOf(data), logger }),
    ask(ask, method, parameters) {
      // A page that was cut off repeats its questions when it is back.
      if (questions.has(ask)) return;
      const bytes = sizeOf(parameters);
      const problem = problemWith([...questions.values(), bytes], limits);
      if (problem) return handle.answer(ask, { code: "ask-failed", message: problem });
      questions.set(ask, bytes);
      add({ kind: "ask", ask, method, parameters: textOf(parameters) });
    },
  };
  // Fields, for V8 keeps what a getter was made in, and so the whole call, until the next full garbage collection.
  const call: Changing<RunningCall> = {
    tabId: undefined,
    outcome: undefined,
    events: [],
    reader: undefined,
    whenEnded(listener) {
      endListeners ??= new Set();
      endListeners.add(listener);
      return () => endListeners?.delete(listener);
    },
    answer(ask, answer) {
      questions.delete(ask);
      handle.answer(ask, answer);
    },
    cancel: (reason) => handle.cancel(reason),
    cut: () => handle.cut(),
    received() {
      call.outcome = undefined;
      call.events.length = 0;
      handle.received();
    },
  };
  const handle = session.call(request, listener);
  return call;
}

type Changing<Thing> = { -readonly [Name in keyof Thing]: Thing[Name] };

type QuestionLimits = Pick<Limits, "questionsPerCall" | "frameBytes">;

/** Why a page may not ask this much at one time; undefined when it may. */
function problemWith(sizes: readonly number[], { questionsPerCall, frameBytes }: QuestionLimits): string | undefined {
  if (sizes.length > questionsPerCall) {
    return `The limit questionsPerCall of ${questionsPerCall} open questions is reached. Wait for an answer to some.`;
  }
  if (sizes.reduce((sum, size) => sum + size, 0) <= frameBytes) return undefined;
  return `The open questions are together larger than the limit frameBytes of ${frameBytes} bytes.`;
}

/** The next event; "silence" when none came within so many milliseconds, or when the reader's signal aborts. */
export function nextEvent(
  call: RunningCall,
  patience: number,
  signal: AbortSignal | undefined,
): Promise<CallEvent | "silence"> {
  return new Promise((resolve) => {
    const end = (event: CallEvent | "silence") => {
      clearTimeout(timer);
      stopWaiting();
      signal?.removeEventListener("abort", stop);
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
    // Another may have taken the reading over: this one is told at the end.
    const stopWaiting = call.whenEnded(() => {
      if (call.reader !== read) end("silence");
    });
    signal?.addEventListener("abort", stop);
    call.reader = read;
    if (signal?.aborted) stop();
    else read();
  });
}

/** The reader between two readers: nothing is dropped. */
export function wait(): void {}
