// The browser features needed to use a worker, as small interfaces that tests can fake.
import type { Clock, PortLike } from "../../link/index.ts";
import type { MessageToWorker } from "../../wire/index.ts";
import type { OpenLink, TakeLock } from "../browser/environment.ts";

export type WorkerKind = "shared-worker" | "service-worker";

export interface WorkerPort {
  send(message: MessageToWorker, port?: PortLike): void;
  /** Sets the one listener for messages. */
  listen(listener: (data: unknown) => void): void;
  /** Reports that the worker could not be started. */
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
  /** Rejects if the browser has no such workers, the page may not start one, or its script cannot be loaded. */
  startWorker(kind: WorkerKind, url: string, name: string): Promise<WorkerPort>;
  /** How many SharedWorkers were abandoned because they hung; shared by all tabs of an origin. */
  readonly givenUp: { get(): number; set(count: number): void };
  /** URLs of ServiceWorkers that this page abandoned: these cannot be replaced. */
  readonly hung: Set<string>;
}

export interface WorkerLocks {
  readonly take: TakeLock;
  /** Resolves with true when the lock is released, and with false once the signal aborts. */
  untilFree(name: string, signal: AbortSignal): Promise<boolean>;
}
