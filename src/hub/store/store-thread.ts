// Supervises the thread that owns the database: restarts it after it has ended or failed. Meanwhile all requests are
// rejected with the reason.
import { statSync, mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { OnOver } from "../../wire/index.ts";
import type { DatabaseAddress } from "./port/database-address.ts";
import { createOperationQueue } from "./operation-queue.ts";
import type { Ask } from "./operation-queue.ts";
import { notSaved } from "./port/store.ts";
import type { StoreHealth } from "./port/store.ts";
import { threadUrl } from "./thread-url.ts";
import { systemReason } from "./port/store-reasons.ts";
import type { FromThread, ThreadData, ToThread, Trouble } from "./sql/messages.ts";
import { dirname } from "node:path";
import { takeProcessLock } from "../../state/index.ts";

/** Another process has the file. */
class FileHeld extends PagewireError {}

export interface StoreThread {
  readonly ask: Ask;
  /** Whether the database was empty when it was opened. */
  isNew(): boolean;
  health(): StoreHealth;
  onHealth(listener: () => void): void;
  onOver(listener: OnOver): void;
  close(): Promise<void>;
}

export interface StoreThreadOptions extends Omit<ThreadData, "isReplaced"> {
  readonly address: DatabaseAddress;
  /** Called with messages for the hub's owner. */
  readonly onProblem: (message: string) => void;
}

const retryTime = 1000;
/** The max delay of a timer in Node. */
const maxTimer = 2 ** 31 - 1;

/** Resolves when the database's health is known; rejects if only the hub's owner can help. */
export async function startStoreThread(options: StoreThreadOptions): Promise<StoreThread> {
  const { address, limits, onProblem } = options;
  const { place } = address;
  let release: (() => void) | undefined;
  let worker: Worker | undefined;
  let trouble: Trouble | undefined;
  let damaged: string | undefined;
  let isNew = true;
  let isClosed = false;
  let closing: Promise<void> | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let settle: ((refused?: PagewireError) => void) | undefined;
  /** The health listener; until one is set, problems go to the owner. */
  const listeners: (() => void)[] = [];
  let onOver: OnOver = () => {};
  const first = new Promise<void>((resolve, reject) => {
    settle = (refused) => (refused ? reject(refused) : resolve());
  });

  const queue = createOperationQueue({
    limits,
    send(requests, buffers) {
      if (worker) worker.postMessage(requests, buffers);
      else queue.rejectAll(refusal());
    },
  });

  function refusal(): PagewireError {
    if (isClosed) return notSaved("The store is closed.");
    if (trouble?.code === "store-damaged") return new PagewireError("store-damaged", trouble.message);
    return notSaved(trouble?.message ?? `The database ${address.shown} is being opened.`);
  }

  function note(next: Trouble): void {
    // A server that shuts down fails each operation with a different message.
    const isOther = trouble?.code !== next.code || trouble.reason !== next.reason;
    trouble = next;
    if (isOther) tell(next.message);
    if (next.retry === "replaced") damaged = signatureOf(place);
    settle?.(next.retry === "never" ? new PagewireError(next.code, next.message) : undefined);
  }

  function tell(words: string): void {
    if (listeners.length === 0) onProblem(words);
    for (const listener of listeners) listener();
  }

  function start(isReplaced = false): void {
    const { hub, importFrom } = options;
    const data: ThreadData = { address, limits, hub, importFrom, isReplaced };
    const started = new Worker(threadUrl, { workerData: data });
    worker = started;
    started.on("message", (message: FromThread) => receive(message));
    started.on("error", (error) =>
      note({ code: "not-saved", message: `The store failed: ${messageOf(error)}`, retry: "soon" }),
    );
    started.on("exit", () => {
      worker = undefined;
      if (isClosed) return;
      if (trouble === undefined) note({ code: "not-saved", message: "The store ended unexpectedly.", retry: "soon" });
      queue.rejectAll(refusal());
      retrying = setTimeout(retry, retryTime);
    });
  }

  function receive(message: FromThread): void {
    if ("answers" in message) queue.answer(message.answers);
    else if ("trouble" in message) note(message.trouble);
    else if ("over" in message) onOver(message.over);
    else if ("problem" in message) onProblem(message.problem);
    else {
      const hadTrouble = trouble !== undefined;
      [trouble, damaged, isNew] = [undefined, undefined, message.open.isNew];
      if (hadTrouble) tell(`The database ${address.shown} can be used again${isNew ? ": it is a new one" : ""}.`);
      settle?.();
    }
  }

  function retry(): void {
    const isWaiting = damaged !== undefined && signatureOf(place) === damaged;
    if (isWaiting || !take()) retrying = setTimeout(retry, retryTime);
    else start(damaged !== undefined);
  }

  /** Whether this process has locked the file. */
  function take(): boolean {
    if (address.kind !== "sqlite") return true;
    try {
      release ??= takeFile(place);
      return true;
    } catch (error) {
      if (error instanceof FileHeld) note({ code: "options-invalid", message: error.message, retry: "never" });
      else {
        const message = `The database ${place} cannot be opened: ${messageOf(error)}`;
        note({ code: "not-saved", reason: systemReason(error), message, retry: "soon" });
      }
      return false;
    }
  }

  async function close(): Promise<void> {
    await queue.settled();
    isClosed = true;
    clearTimeout(retrying);
    if (worker) await endWorker(worker, limits.storeTime);
    release?.();
  }

  if (take()) start();
  else retrying = setTimeout(retry, retryTime);
  const late = `The database ${address.shown} is not open after the limit storeTime of ${limits.storeTime} ms.`;
  const waiting = setTimeout(
    () => note({ code: "not-saved", reason: "away", message: late, retry: "itself" }),
    Math.min(limits.storeTime, maxTimer),
  );
  try {
    await first;
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(waiting);
    settle = undefined;
  }
  return {
    ask: (...asked) => (worker && !isClosed ? queue.ask(...asked) : Promise.reject(refusal())),
    isNew: () => isNew,
    health() {
      if (trouble) return { isOk: false, problem: trouble.message, ...(trouble.reason && { reason: trouble.reason }) };
      if (!queue.isSilent()) return { isOk: true };
      return { isOk: false, problem: `The database ${address.shown} does not answer.`, reason: "away" };
    },
    onHealth: (listener) => void listeners.push(listener),
    onOver: (listener) => void (onOver = listener),
    close: () => (closing ??= close()),
  };
}

/**
 * Waits for a thread to exit, and abandons it if it hangs: terminating it during a statement crashes the process with the
 * SQLite package for Node 20.
 */
function endWorker(worker: Worker, patience: number): Promise<void> {
  const message: ToThread = "close";
  return new Promise((resolve) => {
    const giveUp = () => {
      worker.unref();
      resolve();
    };
    const timer = setTimeout(giveUp, Math.min(patience, maxTimer));
    worker.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    worker.postMessage(message);
  });
}

/** Identifies the file at a path, to detect that it was replaced or removed. */
function signatureOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : "";
}

/**
 * Locks a database file for this process; returns a function that releases it. Throws a named error if another process has
 * locked it, and the system's error if locking fails.
 */
function takeFile(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = takeProcessLock(`${path}.lock`);
  if ("release" in lock) return lock.release;
  throw new FileHeld(
    "options-invalid",
    `Another hub (process ${lock.holder.pid}) has the database ${path}. Only one can: stop it, or give this one another database.`,
  );
}
