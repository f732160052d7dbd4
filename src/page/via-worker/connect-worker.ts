// A page's connection to one worker: startup, handshake, heartbeat. Two locks reveal a silent death of either side:
// page and worker each hold a lock and wait for the other's.
import { createPortLink } from "../../link/index.ts";
import type { Link, PortLike } from "../../link/index.ts";
import { cutOff, fromWorker, parseWorkerMessage, messageOf, workerVersions } from "../../wire/index.ts";
import type { MessageToWorker } from "../../wire/index.ts";
import type { WorkerKind, WorkerLocks, WorkerPowers, WorkerPort } from "./worker-powers.ts";

/** A worker that completed the handshake. */
interface GreetedWorker {
  readonly port: WorkerPort;
  /** The name of the lock that it holds while it lives. */
  readonly lock: string;
}

interface Greeting {
  readonly kind: WorkerKind;
  readonly url: string;
  /** How many workers were abandoned before this one. */
  readonly generation: number;
  /** The name of the lock that this page holds. */
  readonly page: string;
}

const sameVersion = "Serve the worker's file and the page's script from the same version of Pagewire.";

/** Timeout for loading a worker's script and receiving its hello. */
const helloTime = 5000;

/**
 * Starts or finds a worker and sends it a hello. Rejects if there is none; resolves with undefined if it does not
 * reply.
 */
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

    function receive(data: unknown): void {
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
    // Pages of another version use another name, and so get a worker with the script that is served now.
    startWorker(kind, url, `pagewire-${workerVersions[0]}-${generation}`).then(
      (started) => {
        if (isOver) return started.close();
        port = started;
        port.onFailed(fail);
        port.listen(receive);
        port.send({ type: "hello", versions: workerVersions, page });
      },
      (error: unknown) => fail(messageOf(error)),
    );
  });
}

export interface ConnectedWorker {
  /** Opens a link to this address through the worker; `within` is a timeout in milliseconds. */
  open(url: string, within?: number): Promise<Link>;
  /** Opens a port at which the worker serves the tools of this token's principal to an MCP client. */
  openForClient(token: string | undefined): Promise<PortLike>;
  /** Releases the worker, which is notified. */
  leave(): void;
}

export interface WorkerToFind {
  readonly kind: WorkerKind;
  readonly url: string;
  readonly locks: WorkerLocks;
  /** Called once, when the worker died or was abandoned. */
  readonly onEnded: () => void;
  /** Called when the worker reached a hub that was unreachable before. */
  readonly onReached?: (() => void) | undefined;
}

interface WatchedWorker extends GreetedWorker {
  readonly locks: WorkerLocks;
  /** Aborts when page and worker disconnect, which also releases the page's lock. */
  readonly parting: AbortController;
  /** Marks the worker as hung, so that no other page waits for it either. */
  giveUp(): void;
  readonly onEnded: () => void;
  readonly onReached: (() => void) | undefined;
}

type PortMessage = Extract<MessageToWorker, { type: "carry" | "mcp" }>;

/** Heartbeat interval, and the max number of missed ones in a row. */
const pingTime = 2500;
const maxUnanswered = 2;
/** Timeout for opening a link. The worker itself gives a hub ten seconds. */
const answerTime = 15_000;

/** Connects to a worker and monitors it; rejects if there is none. */
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
    // Another tab may have abandoned the same worker.
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
    // A silent worker may just have died, so a SharedWorker gets a second try. A hung ServiceWorker would only be found
    // again.
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
    if (unanswered === maxUnanswered) {
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
    // Browsers throttle timers of hidden pages to one a minute if they are chained, but not if set from a message.
    expectWord();
    const message = parseWorkerMessage(fromWorker, data);
    if (message?.type === "carried") opening.get(message.id)?.(undefined);
    if (message?.type === "reached") onReached?.();
    if (message?.type === "failed") opening.get(message.id)?.(message.message);
  });
  void locks.untilFree(lock, parting.signal).then((isFree) => isFree && lose());
  ping();

  /** Sends a message with a port, and resolves with the other end once the worker accepted it. */
  function openPort(message: PortMessage, within = answerTime): Promise<PortLike> {
    const [kept, sent] = makePorts();
    return new Promise((resolve, reject) => {
      if (parting.signal.aborted) return reject(new Error("The worker ended."));
      const settle = (problem: string | undefined) => {
        stopWaiting();
        opening.delete(message.id);
        if (problem === undefined) return resolve(kept);
        // The worker may still accept the port later.
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
