// Supervises the thread that owns the database: restarts it after it has ended or failed. Meanwhile all requests are
// rejected with the reason.
import { statSync, mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { OnOver } from "../../wire/index.ts";
import type { DatabaseAddress } from "./port/database-address.ts";
import { createOperationQueue } from "./operation-queue.ts";
import type { Ask, OperationQueue } from "./operation-queue.ts";
import { notSaved, systemReason } from "./port/store.ts";
import type { StoreHealth } from "./port/store.ts";
import { threadUrl } from "./thread-url.ts";
import type { FromThread, ThreadData, ToThread, Trouble } from "./sql/messages.ts";
import { dirname } from "node:path";
import { takeProcessLock } from "../../state/index.ts";

/** Another process has the file. */
class FileHeld extends PagewireError {}

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
  const thread = new StoreThread(options);
  await thread.start();
  return thread;
}

export class StoreThread {
  readonly #options: StoreThreadOptions;
  readonly #queue: OperationQueue;
  #unlock: (() => void) | undefined;
  #worker: Worker | undefined;
  #trouble: Trouble | undefined;
  /** The signature of a damaged file, until it is replaced. */
  #damaged: string | undefined;
  #isNew = true;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #settle: ((refused?: PagewireError) => void) | undefined;
  /** Until there is a listener of the health, problems go to the owner. */
  readonly #listeners: (() => void)[] = [];
  #onOver: OnOver = () => {};

  constructor(options: StoreThreadOptions) {
    this.#options = options;
    this.#queue = createOperationQueue({
      limits: options.limits,
      send: (requests, buffers) => {
        if (this.#worker) this.#worker.postMessage(requests, buffers);
        else this.#queue.rejectAll(this.#refusal());
      },
    });
  }

  async start(): Promise<void> {
    const { address, limits } = this.#options;
    const settled = new Promise<void>((resolve, reject) => {
      this.#settle = (refused) => (refused ? reject(refused) : resolve());
    });
    if (this.#lock()) this.#startWorker();
    else this.#retryLater();
    const message = `The database ${address.shown} is not open after the limit storeTime of ${limits.storeTime} ms.`;
    const timeout = setTimeout(
      () => this.#note({ code: "not-saved", reason: "away", message, retry: "itself" }),
      Math.min(limits.storeTime, maxTimer),
    );
    try {
      await settled;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(timeout);
      this.#settle = undefined;
    }
  }

  readonly ask: Ask = (...asked) =>
    this.#worker && !this.#isClosed ? this.#queue.ask(...asked) : Promise.reject(this.#refusal());

  /** Whether the database was empty when it was opened. */
  isNew(): boolean {
    return this.#isNew;
  }

  health(): StoreHealth {
    if (this.#trouble) {
      const { message: problem, reason } = this.#trouble;
      return { isOk: false, problem, ...(reason && { reason }) };
    }
    if (!this.#queue.isSilent()) return { isOk: true };
    return { isOk: false, problem: `The database ${this.#options.address.shown} does not answer.`, reason: "away" };
  }

  onHealth(listener: () => void): void {
    this.#listeners.push(listener);
  }

  onOver(listener: OnOver): void {
    this.#onOver = listener;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  #refusal(): PagewireError {
    if (this.#isClosed) return notSaved("The store is closed.");
    const trouble = this.#trouble;
    if (trouble?.code === "store-damaged") return new PagewireError(trouble.code, trouble.message);
    return notSaved(trouble?.message ?? `The database ${this.#options.address.shown} is being opened.`);
  }

  #note(next: Trouble): void {
    // A server that shuts down fails each operation with a different message.
    const isOther = this.#trouble?.code !== next.code || this.#trouble.reason !== next.reason;
    this.#trouble = next;
    if (isOther) this.#report(next.message);
    if (next.retry === "replaced") this.#damaged = signatureOf(this.#options.address.place);
    this.#settle?.(next.retry === "never" ? new PagewireError(next.code, next.message) : undefined);
  }

  #report(message: string): void {
    if (this.#listeners.length === 0) this.#options.onProblem(message);
    for (const listener of this.#listeners) listener();
  }

  #startWorker(isReplaced = false): void {
    const { address, limits, hub, importFrom } = this.#options;
    const workerData: ThreadData = { address, limits, hub, importFrom, isReplaced };
    const worker = new Worker(threadUrl, { workerData });
    this.#worker = worker;
    worker.on("message", (message: FromThread) => this.#receive(message));
    worker.on("error", (error) =>
      this.#note({ code: "not-saved", message: `The store failed: ${messageOf(error)}`, retry: "soon" }),
    );
    worker.on("exit", () => {
      this.#worker = undefined;
      if (this.#isClosed) return;
      if (!this.#trouble) this.#note({ code: "not-saved", message: "The store ended unexpectedly.", retry: "soon" });
      this.#queue.rejectAll(this.#refusal());
      this.#retryLater();
    });
  }

  #receive(message: FromThread): void {
    if ("answers" in message) this.#queue.answer(message.answers);
    else if ("trouble" in message) this.#note(message.trouble);
    else if ("over" in message) this.#onOver(message.over);
    else if ("problem" in message) this.#options.onProblem(message.problem);
    else {
      const hadTrouble = this.#trouble !== undefined;
      const { isNew } = message.open;
      [this.#trouble, this.#damaged, this.#isNew] = [undefined, undefined, isNew];
      const { shown } = this.#options.address;
      if (hadTrouble) this.#report(`The database ${shown} can be used again${isNew ? ": it is a new one" : ""}.`);
      this.#settle?.();
    }
  }

  #retryLater(): void {
    this.#retrying = setTimeout(() => this.#retry(), retryTime);
  }

  #retry(): void {
    const isWaiting = this.#damaged !== undefined && signatureOf(this.#options.address.place) === this.#damaged;
    if (isWaiting || !this.#lock()) this.#retryLater();
    else this.#startWorker(this.#damaged !== undefined);
  }

  /** Whether this process has locked the file. */
  #lock(): boolean {
    const { kind, place } = this.#options.address;
    if (kind !== "sqlite") return true;
    try {
      this.#unlock ??= lockFile(place);
      return true;
    } catch (error) {
      if (error instanceof FileHeld) this.#note({ code: "options-invalid", message: error.message, retry: "never" });
      else {
        const message = `The database ${place} cannot be opened: ${messageOf(error)}`;
        this.#note({ code: "not-saved", reason: systemReason(error), message, retry: "soon" });
      }
      return false;
    }
  }

  async #close(): Promise<void> {
    await this.#queue.settled();
    this.#isClosed = true;
    clearTimeout(this.#retrying);
    if (this.#worker) await endWorker(this.#worker, this.#options.limits.storeTime);
    this.#unlock?.();
  }
}

/**
 * Waits for a thread to exit, and abandons it if it hangs: terminating it during a statement crashes the process with the
 * SQLite package for Node 20.
 */
function endWorker(worker: Worker, timeout: number): Promise<void> {
  const message: ToThread = "close";
  return new Promise((resolve) => {
    const giveUp = () => {
      worker.unref();
      resolve();
    };
    const timer = setTimeout(giveUp, Math.min(timeout, maxTimer));
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
function lockFile(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = takeProcessLock(`${path}.lock`);
  if ("release" in lock) return lock.release;
  throw new FileHeld(
    "options-invalid",
    `Another hub (process ${lock.holder.pid}) has the database ${path}. Only one can: stop it, or give this one another database.`,
  );
}
