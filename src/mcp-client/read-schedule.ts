// Reads of lists that a server has changed: bundled, with rests between them, and tried again until they succeed.
import type { Offer } from "../wire/index.ts";
import { backoff } from "./backoff.ts";
import { isUnanswered, mayPass } from "./failures.ts";
import type { McpClock } from "./mcp-toolbox.ts";
import type { Session } from "./session.ts";

/** The min delay between two reads caused by notifications: some servers send one on every read. */
export const restTime = 250;
/** Longer than a session takes to notice that its server is gone. */
const lostTime = 2000;

export interface ReadNeeds {
  readonly clock: McpClock;
  readonly random: () => number;
  read(session: Session, which: readonly (keyof Offer)[]): Promise<void>;
  /** Resolves when no read is running, with the time at which the next one may begin. */
  rested(): Promise<number>;
  /** Receives the first of several failures. */
  problem(error: unknown): void;
}

export function createReadSchedule({ clock, random, read, rested, problem }: ReadNeeds) {
  const due = new Set<keyof Offer>();
  /** The session of a scheduled read. */
  let telling: Session | undefined;
  let failures = 0;
  let isTold = false;
  let isClosed = false;
  let stopWaiting = () => {};

  /** The next failure is another one. */
  function startOver(): void {
    failures = 0;
    isTold = false;
  }

  async function readDue(): Promise<void> {
    const session = telling;
    const which = [...due];
    telling = undefined;
    due.clear();
    if (!session || session.over.aborted) return startOver();
    try {
      await read(session, which);
      // Some of it may be due again.
      if (due.size === 0) startOver();
    } catch (error) {
      if (session.over.aborted) startOver();
      else readAgain(session, which, error);
    }
  }

  /** The change is still unread. A failure without an answer is reported unless it ends the session. */
  function readAgain(session: Session, which: readonly (keyof Offer)[], error: unknown): void {
    const isSilent = isUnanswered(error);
    if (!isTold && (!isSilent || failures > 0)) {
      isTold = true;
      problem(error);
    }
    if (!mayPass(error)) return startOver();
    retry(session, which, isSilent ? lostTime : restTime);
  }

  function retry(session: Session, which: readonly (keyof Offer)[], rest = restTime): void {
    const wait = rest + backoff(failures++, random);
    for (const kind of which) due.add(kind);
    if (telling === undefined) runLater(wait, () => schedule(session, which));
  }

  function schedule(session: Session, which: readonly (keyof Offer)[]): void {
    for (const kind of which) due.add(kind);
    const isWaiting = telling !== undefined;
    telling = session;
    if (isWaiting) return;
    void rested().then((from) => {
      const wait = from - clock.now();
      stopWaiting();
      if (wait > 0) runLater(wait, () => void readDue());
      else void readDue();
    });
  }

  /** One timer at a time: what is due is read together. */
  function runLater(wait: number, run: () => void): void {
    stopWaiting();
    if (!isClosed) stopWaiting = clock.after(wait, run);
  }

  return {
    schedule,
    /** Reads these lists again after a growing rest: they could not be read, and others could. */
    retry,
    close() {
      isClosed = true;
      stopWaiting();
    },
  };
}
