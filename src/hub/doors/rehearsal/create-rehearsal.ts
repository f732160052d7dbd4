// The rehearsal model in its thread, which is started when somebody asks, and ended where it does not go on.
import { Worker } from "node:worker_threads";
import { PagewireError } from "../../../wire/index.ts";
import type { Answer } from "./create-answerer.ts";
import type { Place } from "./operations.ts";
import { refusedReply } from "./refused-reply.ts";
import { rehearsalThreadUrl } from "./rehearsal-thread-url.ts";
import type { Reply } from "./reply.ts";
import type { FromRehearsal, RehearsalThreadData, ToRehearsal } from "./thread-messages.ts";

export interface Rehearsal {
  /** Never rejects: what cannot be answered is refused. */
  readonly answer: Answer;
  close(): Promise<void>;
}

export interface RehearsalOptions {
  readonly longest?: number | undefined;
  /** How many milliseconds one caller's requests may hold the thread in ten seconds. */
  readonly share: number;
  /** Hears of what should not have failed. */
  readonly onError?: (error: unknown) => void;
  /** How many milliseconds a thread that works may say nothing before it is ended. */
  readonly patience?: number;
  readonly thread?: URL;
}

/** In megabytes. */
const mostMemory = 256;

interface Waiting {
  readonly place: Place;
  readonly resolve: (reply: Reply) => void;
}

export function createRehearsal(options: RehearsalOptions): Rehearsal {
  const { longest, share, onError = () => {}, patience = 30_000, thread = rehearsalThreadUrl } = options;
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let watching: NodeJS.Timeout | undefined;
  let asked = 0;
  let isClosed = false;

  function start(): Worker {
    const data: RehearsalThreadData = { longest, share };
    const started = new Worker(thread, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: mostMemory } });
    // What nobody waits for keeps no process alive.
    started.unref();
    started.on("message", (message: FromRehearsal) => receive(message));
    started.on("error", onError);
    started.on("exit", () => end(started));
    return started;
  }

  function receive(message: FromRehearsal): void {
    if (message !== "alive" && "failure" in message) return onError(new Error(message.failure));
    if (message !== "alive") {
      waiting.get(message.id)?.resolve(message.reply);
      waiting.delete(message.id);
    }
    watch();
  }

  /** From now on the thread has its time again to say something. */
  function watch(): void {
    clearTimeout(watching);
    if (waiting.size > 0) watching = setTimeout(() => void worker?.terminate(), patience);
  }

  /** Those that it was to answer are refused; the next question starts another. */
  function end(ended: Worker): void {
    if (worker !== ended) return;
    worker = undefined;
    clearTimeout(watching);
    const why = isClosed ? stopped() : new Error("The rehearsal's thread did not go on, and was ended.");
    for (const { place, resolve } of waiting.values()) resolve(refusedReply(place, why, onError));
    waiting.clear();
  }

  return {
    answer(question) {
      if (isClosed) return Promise.resolve(refusedReply(question, stopped()));
      worker ??= start();
      const message: ToRehearsal = { id: asked++, question };
      return new Promise((resolve) => {
        waiting.set(message.id, { place: question, resolve });
        if (waiting.size === 1) watch();
        worker?.postMessage(message);
      });
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}

function stopped(): PagewireError {
  return new PagewireError("going-away", "The hub is stopping.");
}
