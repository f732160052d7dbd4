// Reads of a list that a server has changed: bundled, with rests between them, and tried again until they succeed.
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
  read(session: Session): Promise<void>;
  /** Resolves when no read is running, with the time at which the next one may begin. */
  rested(): Promise<number>;
  /** Receives the first of several failures, and the one after which the list is not read again. */
  problem(error: unknown): void;
}

export function createReadSchedule({ clock, random, read, rested, problem }: ReadNeeds) {
  /** The session of a scheduled read. */
  let telling: Session | undefined;
  /** The session of the last read: its failures are not those of the next one. */
  let last: Session | undefined;
  let failures = 0;
  let isTold = false;
  let isClosed = false;
  let stopWaiting = () => {};

  /** The next failure is another one. */
  function startOver(): void {
    failures = 0;
    isTold = false;
  }

  function begin(session: Session): void {
    if (session !== last) startOver();
    last = session;
  }

  async function readDue(): Promise<void> {
    const session = telling;
    telling = undefined;
    if (!session || session.over.aborted) return;
    try {
      await read(session);
      startOver();
    } catch (error) {
      if (!session.over.aborted) readAgain(session, error);
    }
  }

  /** The change is still unread. A failure without an answer is reported unless it ends the session. */
  function readAgain(session: Session, error: unknown): void {
    const isSilent = isUnanswered(error);
    const isFinal = !mayPass(error);
    if (isFinal || (!isTold && (!isSilent || failures > 0))) {
      isTold = true;
      problem(error);
    }
    if (isFinal) return startOver();
    wait(session, isSilent ? lostTime : restTime);
  }

  function wait(session: Session, rest: number): void {
    const time = rest + backoff(failures++, random);
    if (telling === undefined) runLater(time, () => schedule(session));
  }

  function schedule(session: Session): void {
    // A timer of a session that is over must not stand in for a read of the one after it.
    if (session.over.aborted) return;
    begin(session);
    const isWaiting = telling !== undefined;
    telling = session;
    if (isWaiting) return;
    void rested().then((from) => {
      const time = from - clock.now();
      stopWaiting();
      if (time > 0) runLater(time, () => void readDue());
      else void readDue();
    });
  }

  /** One timer at a time. */
  function runLater(time: number, run: () => void): void {
    stopWaiting();
    if (!isClosed) stopWaiting = clock.after(time, run);
  }

  return {
    schedule,
    /** Reads the list again after a growing rest: it could not be read, and that was told. */
    retry(session: Session): void {
      begin(session);
      isTold = true;
      wait(session, restTime);
    },
    close() {
      isClosed = true;
      stopWaiting();
    },
  };
}
