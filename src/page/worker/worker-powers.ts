// The powers of a browser that it takes to use a worker, each as small as it can be, so that tests can supply them.
import type { Clock, PortLike } from "../../link/index.ts";
import type { MessageToWorker } from "../../wire/index.ts";
import type { OpenLink, TakeLock } from "../browser/environment.ts";

export type WorkerKind = "shared-worker" | "service-worker";

/** A port to a worker that was started or found. */
export interface WorkerPort {
  send(message: MessageToWorker, port?: PortLike): void;
  /** Has each message that comes go to this listener, and to no other from then on. */
  listen(listener: (data: unknown) => void): void;
  /** Tells that the worker could not be started. */
  onFailed(listener: (problem: string) => void): void;
  close(): void;
}

export interface WorkerPowers {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Missing where the browser has no Web Locks: in insecure contexts. */
  readonly locks: WorkerLocks | undefined;
  readonly openSocket: OpenLink;
  makePorts(): readonly [PortLike, PortLike];
  /** Rejects where the browser has no such workers, the page may not start one, or its script cannot be had. */
  startWorker(kind: WorkerKind, url: string, name: string): Promise<WorkerPort>;
  /** How many SharedWorkers were given up because they hung; the same for all tabs of an origin. */
  readonly givenUp: { get(): number; set(count: number): void };
  /** The addresses of ServiceWorkers that this page gave up: of such there is no other. */
  readonly hung: Set<string>;
}

export interface WorkerLocks {
  readonly take: TakeLock;
  /** Resolves with true when nobody holds this lock any more, and with false once the signal aborts. */
  untilFree(name: string, signal: AbortSignal): Promise<boolean>;
}
