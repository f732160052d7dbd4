// One worker, as a page knows it: found, greeted, watched. Two locks tell page and worker of each other's end, also of
// one that comes without a word: each holds a lock of its own, and waits for the other's.
import { createPortLink } from "../../link/index.ts";
import type { Link, PortLike } from "../../link/index.ts";
import { cutOff, fromWorker, parseWorkerMessage, messageOf, workerVersions } from "../../wire/index.ts";
import type { MessageToWorker } from "../../wire/index.ts";
import type { WorkerKind, WorkerLocks, WorkerPowers, WorkerPort } from "./worker-powers.ts";

/** A worker that said hello. */
interface GreetedWorker {
  readonly port: WorkerPort;
  /** The name of the lock that it holds for as long as it lives. */
  readonly lock: string;
}

interface Greeting {
  readonly kind: WorkerKind;
  readonly url: string;
  /** How many workers were given up before this one. */
  readonly generation: number;
  /** The name of the lock that this page holds. */
  readonly page: string;
}

const sameVersion = "Serve the worker's file and the page's script from the same version of Pagewire.";

/** How long a worker's script may take to come and say hello. */
const helloTime = 5000;

/** Starts or finds a worker and says hello to it. Rejects when it cannot be had; resolves with undefined when it is silent. */
function greetWorker(
  { kind, url, generation, page }: Greeting,
  { clock, startWorker }: Pick<WorkerPowers, "clock" | "startWorker">,
): Promise<GreetedWorker | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let port: WorkerPort | undefined;

    function end(settle: () => void): void {
      isOver = true;
      stopWaiting();
      settle();
    }

    function fail(problem: string): void {
      if (isOver) return;
      port?.close();
      end(() => reject(new Error(problem)));
    }

    function hear(data: unknown): void {
      const message = parseWorkerMessage(fromWorker, data);
      if (message?.type === "hello" && port) {
        const greeted = { port, lock: message.worker };
        end(() => resolve(greeted));
      } else if (message?.type === "refused") {
        const [theirs, ours] = [message.versions, workerVersions].map((versions) => versions.join(", "));
        fail(`The worker speaks versions ${theirs} and this page ${ours}. ${sameVersion}`);
      }
    }

    const stopWaiting = clock.after(helloTime, () => {
      port?.close();
      end(() => resolve(undefined));
    });
    // Whoever speaks other versions first and foremost finds another worker, with the script that is served by now.
    startWorker(kind, url, `pagewire-${workerVersions[0]}-${generation}`).then(
      (started) => {
        if (isOver) return started.close();
        port = started;
        port.onFailed(fail);
        port.listen(hear);
        port.send({ type: "hello", versions: workerVersions, page });
      },
      (error: unknown) => fail(messageOf(error)),
    );
  });
}

export interface ConnectedWorker {
  /** Opens a link that the worker carries to this address, within so many milliseconds. */
  open(url: string, within?: number): Promise<Link>;
  /** Opens a port at which the worker serves an MCP client the tools of this token's bearer. */
  openForClient(token: string | undefined): Promise<PortLike>;
  /** Lets go of the worker, which hears of it. */
  leave(): void;
}

export interface WorkerToFind {
  readonly kind: WorkerKind;
  readonly url: string;
  readonly locks: WorkerLocks;
  /** Called once, when the worker died or was given up. */
  readonly onEnded: () => void;
  /** Called when the worker reached a hub that had been away. */
  readonly onReached?: (() => void) | undefined;
}

interface WatchedWorker extends GreetedWorker {
  readonly locks: WorkerLocks;
  /** Aborts when page and worker part; the page's own lock ends with it. */
  readonly parting: AbortController;
  /** The worker hangs, and no other page shall wait for it either. */
  giveUp(): void;
  readonly onEnded: () => void;
  readonly onReached: (() => void) | undefined;
}

type PortMessage = Extract<MessageToWorker, { type: "carry" | "mcp" }>;

/** How often a worker is asked for a sign of life, and how many times in a row it may not answer. */
const pingTime = 2500;
const patience = 2;
/** How long it may take to answer that it carries a link. It gives a hub ten seconds itself. */
const answerTime = 15_000;

/** Finds a worker and watches it from then on; rejects where it cannot be had. */
export async function connectWorker(
  { kind, url, locks, onEnded, onReached }: WorkerToFind,
  powers: WorkerPowers,
): Promise<ConnectedWorker> {
  const { newId, givenUp, hung } = powers;
  const parting = new AbortController();
  const page = `pagewire-page:${newId()}`;
  let generation = 0;

  function giveUp(): void {
    if (kind === "service-worker") hung.add(url);
    // Others may have given up the same one.
    else if (givenUp.get() === generation) givenUp.set(generation + 1);
  }

  async function greet(): Promise<GreetedWorker | undefined> {
    generation = givenUp.get();
    const greeted = await greetWorker({ kind, url, generation, page }, powers);
    if (!greeted) giveUp();
    return greeted;
  }

  try {
    if (hung.has(url)) throw new Error(`The one at ${url} hangs. Reload the page to look for it again.`);
    if (!(await locks.take(page, parting.signal))) throw new Error(noLocks);
    // One that is silent may just have died, or hangs. A ServiceWorker that hangs would be found again.
    const greeted = (await greet()) ?? (kind === "shared-worker" ? await greet() : undefined);
    if (!greeted) throw new Error(`The script at ${url} did not answer. It hangs, or is not the package's worker.`);
    return watchWorker({ ...greeted, locks, parting, giveUp, onEnded, onReached }, powers);
  } catch (error) {
    parting.abort();
    throw error;
  }
}

const noLocks =
  "This page may not use Web Locks: its frame is sandboxed, or the browser keeps this site from storing anything.";

function watchWorker(
  { port, lock, locks, parting, giveUp, onEnded, onReached }: WatchedWorker,
  { clock, newId, makePorts }: WorkerPowers,
): ConnectedWorker {
  const opening = new Map<string, (problem: string | undefined) => void>();
  let unanswered = 0;
  let stopPinging = () => {};

  function part(): void {
    parting.abort();
    stopPinging();
    port.close();
    for (const settle of opening.values()) settle("The worker ended.");
  }

  function lose(): void {
    if (parting.signal.aborted) return;
    part();
    onEnded();
  }

  function ping(): void {
    if (unanswered === patience) {
      giveUp();
      return lose();
    }
    unanswered++;
    port.send({ type: "ping" });
    expectWord();
  }

  function expectWord(): void {
    stopPinging();
    stopPinging = clock.after(pingTime, ping);
  }

  port.listen((data) => {
    if (parting.signal.aborted) return;
    unanswered = 0;
    // Browsers hold timers of hidden pages back for a minute where each comes from another one, and not from a message.
    expectWord();
    const message = parseWorkerMessage(fromWorker, data);
    if (message?.type === "carried") opening.get(message.id)?.(undefined);
    if (message?.type === "reached") onReached?.();
    if (message?.type === "failed") opening.get(message.id)?.(message.message);
  });
  void locks.untilFree(lock, parting.signal).then((isFree) => isFree && lose());
  ping();

  /** Sends a message with a port, and has the other end of it once the worker took that. */
  function openPort(message: PortMessage, within = answerTime): Promise<PortLike> {
    const [kept, sent] = makePorts();
    return new Promise((resolve, reject) => {
      if (parting.signal.aborted) return reject(new Error("The worker ended."));
      const settle = (problem: string | undefined) => {
        stopWaiting();
        opening.delete(message.id);
        if (problem === undefined) return resolve(kept);
        // It may take the port later on.
        kept.postMessage({ close: cutOff });
        kept.close();
        reject(new Error(problem));
      };
      const stopWaiting = clock.after(within, () =>
        settle(`The worker did not answer within ${within / 1000} seconds.`),
      );
      opening.set(message.id, settle);
      port.send(message, sent);
    });
  }

  return {
    open: async (url, within) => createPortLink(await openPort({ type: "carry", id: newId(), url }, within)),
    openForClient: (token) => openPort({ type: "mcp", id: newId(), token }),
    leave: part,
  };
}
