// Workers that the test controls, with locks and sockets.
import { createMemoryLinks, createPortLink } from "../../link/index.ts";
import type { Link, PortLike } from "../../link/index.ts";
import { createFakeClock, recordLink } from "../../testing/index.ts";
import type { FakeClock, LinkRecord } from "../../testing/index.ts";
import type { MessageFromWorker, MessageToWorker } from "../../wire/index.ts";
import type { WorkerKind, WorkerLocks, WorkerPowers } from "../via-worker/worker-powers.ts";

/** A worker, as it sees the page that started or found it. */
export interface FakeWorker {
  readonly kind: WorkerKind;
  readonly url: string;
  readonly name: string;
  readonly heard: readonly MessageToWorker[];
  /** The links that the page had carried, started. */
  readonly links: readonly { readonly link: Link; readonly record: LinkRecord }[];
  /** The ports at which the page has clients served. */
  readonly clients: readonly PortLike[];
  /** Whether the page has released its port. */
  readonly isLeft: boolean;
  /** While set, it ignores all messages. */
  isHanging: boolean;
  say(message: MessageFromWorker | { readonly [field: string]: unknown }): Promise<void>;
  /** The script could not be started. */
  fail(problem: string): Promise<void>;
  /** Its lock is free. */
  die(): Promise<void>;
}

/** How a worker behaves towards a page that says hello. */
export type Manner = "greets" | "refuses" | "silent" | "fails" | "missing" | "stuck";

export interface FakeWorkers {
  readonly powers: WorkerPowers;
  readonly clock: FakeClock;
  /** Every worker that was started or found, by every attempt. */
  readonly workers: readonly FakeWorker[];
  readonly worker: FakeWorker;
  /** How the next workers behave. */
  readonly manners: Partial<Record<WorkerKind, Manner>>;
  readonly givenUp: { count: number };
  /** The addresses that the page opened sockets of its own to. */
  readonly sockets: readonly string[];
  /** The links over these that could be opened. */
  readonly ownLinks: readonly Link[];
  /** While set, the page can open no sockets of its own. */
  isOffline: boolean;
  /** The names of the locks that are held. */
  held(): readonly string[];
}

export function createFakeWorkers({ hasLocks = true, mayLock = true } = {}): FakeWorkers {
  const clock = createFakeClock();
  const workers: FakeWorker[] = [];
  const sockets: string[] = [];
  const ownLinks: Link[] = [];
  const locks = createFakeLocks(mayLock);
  const manners: Partial<Record<WorkerKind, Manner>> = {};
  const givenUp = { count: 0 };
  let ids = 0;

  const startWorker: WorkerPowers["startWorker"] = async (kind, url, name) => {
    const manner = manners[kind] ?? "greets";
    if (manner === "missing") throw new Error(`There is no ${kind}.`);
    const heard: MessageToWorker[] = [];
    const links: FakeWorker["links"][number][] = [];
    const clients: PortLike[] = [];
    const lock = `pagewire-worker:${workers.length + 1}`;
    let listener = (_data: unknown) => {};
    let failed = (_problem: string) => {};
    let isLeft = false;
    const worker: FakeWorker = {
      kind,
      url,
      name,
      heard,
      links,
      clients,
      get isLeft() {
        return isLeft;
      },
      isHanging: false,
      async say(message) {
        if (!isLeft) listener(message);
        await clock.advance(0);
      },
      async fail(problem) {
        failed(problem);
        await clock.advance(0);
      },
      async die() {
        locks.free(lock);
        await clock.advance(0);
      },
    };
    workers.push(worker);
    if (manner === "stuck") await new Promise((resolve) => clock.after(60_000, () => resolve(undefined)));

    function take(message: MessageToWorker): void {
      if (worker.isHanging) return;
      const answer = (given: MessageFromWorker) => queueMicrotask(() => void worker.say(given));
      if (message.type === "ping") answer({ type: "pong" });
      if (message.type !== "hello") return;
      if (manner === "refuses") return answer({ type: "refused", versions: [7, 8] });
      if (manner === "fails") return void worker.fail(`The script at ${url} is none.`);
      if (manner !== "greets") return;
      locks.hold(lock);
      answer({ type: "hello", version: 1, worker: lock });
    }

    const carry = (link: Link) => links.push({ link, record: recordLink(link) });
    return {
      send(message, port) {
        if (isLeft) return;
        heard.push(message);
        if (port && message.type === "mcp") clients.push(port);
        else if (port) carry(createPortLink(port));
        take(message);
      },
      listen: (given) => void (listener = given),
      onFailed: (given) => void (failed = given),
      close: () => void (isLeft = true),
    };
  };

  const fakes: FakeWorkers = {
    clock,
    workers,
    isOffline: false,
    get worker() {
      const last = workers.at(-1);
      if (last === undefined) throw new Error("No worker was started yet.");
      return last;
    },
    manners,
    givenUp,
    sockets,
    ownLinks,
    held: locks.held,
    powers: {
      clock,
      newId: () => `id-${++ids}`,
      locks: hasLocks ? locks : undefined,
      async openSocket(url) {
        sockets.push(url);
        if (fakes.isOffline) throw new Error("there was no answer");
        const [link] = createMemoryLinks();
        ownLinks.push(link);
        return link;
      },
      makePorts() {
        const { port1, port2 } = new MessageChannel();
        return [port1, port2];
      },
      startWorker,
      givenUp: { get: () => givenUp.count, set: (count) => void (givenUp.count = count) },
      hung: new Set(),
    },
  };
  return fakes;
}

interface FakeLocks extends WorkerLocks {
  hold(name: string): void;
  free(name: string): void;
  held(): readonly string[];
}

/** Locks that are always free; only requests that wait for a lock's release have to wait. */
function createFakeLocks(mayLock: boolean): FakeLocks {
  const holders = new Map<string, Set<() => void>>();
  const free = (name: string) => {
    const waiting = holders.get(name) ?? [];
    holders.delete(name);
    for (const tell of waiting) tell();
  };
  return {
    hold: (name) => void holders.set(name, new Set()),
    free,
    held: () => [...holders.keys()],
    async take(name, signal) {
      if (!mayLock) return false;
      holders.set(name, new Set());
      signal.addEventListener("abort", () => free(name));
      return true;
    },
    untilFree: (name, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(false));
        holders.get(name)?.add(() => resolve(true));
      }),
  };
}
