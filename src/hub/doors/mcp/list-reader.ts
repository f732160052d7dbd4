import { systemClock } from "../../../link/index.ts";
import type { ListReading } from "../../../mcp/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";

/** More results at one time do not wait. */
const maxWaiting = 64;

/** How long a client has to take in the list that it read, in milliseconds: Gemini CLI asks its model with the old one otherwise. */
const takeInTime = 50;

export interface ListReaderOptions {
  /** Whether the client gets notifications. */
  readonly isListening: () => boolean;
  /** How long a result waits, in milliseconds. */
  readonly patience: number;
}

export class ListReader implements ListReading {
  readonly #agent: Pick<AgentSession, "announce">;
  readonly #options: ListReaderOptions;
  readonly #waiting = new Set<() => void>();
  #isUnread = false;
  /** Whether it read the list in time after the last change. */
  #reads = true;

  constructor(agent: Pick<AgentSession, "announce">, options: ListReaderOptions) {
    this.#agent = agent;
    this.#options = options;
  }

  /** Call this when the client was notified that its list of tools has changed. */
  changed(): void {
    this.#isUnread = true;
  }

  isBehind(tabId: string | undefined): boolean {
    const isPending = tabId !== undefined && this.#agent.announce(tabId);
    if (!(isPending || this.#isUnread) || !this.#reads) return false;
    return this.#options.isListening() && this.#waiting.size < maxWaiting;
  }

  afterReading(run: () => void): void {
    const go = () => {
      stopWaiting();
      if (this.#waiting.delete(go)) run();
    };
    const stopWaiting = systemClock.after(this.#options.patience, () => {
      // Without a notification there was nothing to read.
      if (this.#isUnread) this.#reads = false;
      go();
    });
    this.#waiting.add(go);
  }

  listed(): () => void {
    this.#isUnread = false;
    this.#reads = true;
    const waiting = [...this.#waiting];
    return () => {
      for (const go of waiting) systemClock.after(takeInTime, go);
    };
  }

  close(): void {
    for (const go of this.#waiting) go();
  }
}
