// Pending requests to the store's thread. Requests of one turn of the event loop are posted as one message, because a
// message costs more than its contents.
import type { Limits } from "../../wire/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { notSaved } from "./port/store.ts";
import { sharedTime } from "./sql/messages.ts";
import type { Answer, Request } from "./sql/messages.ts";
import type { Given, OperationName, Value } from "./sql/operations.ts";

export interface Freight {
  /** Its approximate size in bytes; small by default. */
  readonly size?: number;
  /** Transferred to the thread instead of copied. */
  readonly buffers?: readonly ArrayBuffer[];
}

export type Ask = <Name extends OperationName>(
  name: Name,
  given: Given<Name>,
  freight?: Freight,
) => Promise<Value<Name>>;

export interface OperationQueue {
  readonly ask: Ask;
  answer(answers: readonly Answer[]): void;
  /** Rejects all pending requests. */
  rejectAll(error: PagewireError): void;
  /** Whether a request has exceeded its timeout. */
  isSilent(): boolean;
  /** Resolves when nothing is pending. */
  settled(): Promise<void>;
}

export interface OperationQueueOptions {
  readonly limits: Pick<Limits, "storeTime" | "storeOperations" | "storeBytes">;
  readonly send: (requests: readonly Request[], buffers: readonly ArrayBuffer[]) => void;
}

/** The max delay of a timer in Node. */
const maxTimer = 2 ** 31 - 1;

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: PagewireError) => void;
  readonly until: number;
  readonly size: number;
}

export function createOperationQueue({ limits, send }: OperationQueueOptions): OperationQueue {
  const waiting = new Map<number, Waiting>();
  const settling: (() => void)[] = [];
  let requests: Request[] = [];
  let buffers: ArrayBuffer[] = [];
  let lastId = 0;
  let bytes = 0;
  let silent = false;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const [sent, given] = [requests, buffers];
    [requests, buffers] = [[], []];
    if (sent.length > 0) send(sent, given);
  }

  function take(id: number): Waiting | undefined {
    const one = waiting.get(id);
    if (!one) return undefined;
    waiting.delete(id);
    bytes -= one.size;
    if (waiting.size === 0) for (const settle of settling.splice(0)) settle();
    return one;
  }

  /** All requests have the same timeout, so the first is the first to be late. */
  function checkTimes(): void {
    timer = undefined;
    const now = sharedTime();
    for (const [id, { until }] of waiting) {
      if (until > now) return watch(until - now);
      silent = true;
      take(id)?.reject(notSaved(`The database did not answer within the limit storeTime of ${limits.storeTime} ms.`));
    }
  }

  function watch(time: number): void {
    timer ??= setTimeout(checkTimes, Math.min(Math.ceil(time), maxTimer)).unref();
  }

  const ask: Ask = (name, given, { size = 0, buffers: own } = {}) =>
    new Promise((resolve, reject) => {
      const full =
        waiting.size >= limits.storeOperations
          ? "storeOperations"
          : bytes + size > limits.storeBytes
            ? "storeBytes"
            : "";
      // A single request passes however large it is.
      if (full && waiting.size > 0) return reject(notSaved(`More waits for the database than the limit ${full}.`));
      const id = ++lastId;
      const until = sharedTime() + limits.storeTime;
      bytes += size;
      waiting.set(id, { resolve, reject, size, until });
      watch(limits.storeTime);
      if (own) buffers.push(...own);
      if (requests.push([id, name, given, until]) === 1) setImmediate(flush);
    });

  return {
    ask,
    answer(answers) {
      silent = false;
      for (const answer of answers) {
        const one = take(answer[0]);
        if (answer[1]) one?.resolve(answer[2] as never);
        else one?.reject(new PagewireError(answer[2], answer[3]));
      }
    },
    rejectAll(error) {
      [requests, buffers] = [[], []];
      for (const id of [...waiting.keys()]) take(id)?.reject(error);
      clearTimeout(timer);
      timer = undefined;
    },
    isSilent: () => silent,
    settled: () => (waiting.size === 0 ? Promise.resolve() : new Promise((resolve) => settling.push(resolve))),
  };
}
