import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";

/** A clock for a process that may stall: suspended, swapped out, or blocked by a long task. */
export interface HubClock extends Clock {
  /** How long current input may have waited unread: the duration of the last stall, or 0. */
  unread(): number;
  /** To be called for each accepted connection. */
  accepted(): void;
  /** Stops detecting stalls. Timers keep running. */
  close(): void;
}

/** The interval of stall detection. A stall may have begun this much later than assumed. */
const watchTime = 100;
/** A longer gap between two checks is a stall. */
const stallTime = 250;
/** A timer that is later than this waits for unread input. */
const lateTime = 100;
/** Node accepts one connection per turn of the loop, and reads from it in the next. */
const turnsOfRequest = 2;
/** The max length of the accept queue: later connections were opened after the stall. */
const maxWaiting = 511;
/** Node's HTTP server emits close three turns of the loop after reading a connection's end. */
const turnsOfCut = 5;

/**
 * After a stall, due timers run only once the input that arrived meanwhile was read, so that a disconnect, ack or result
 * waiting in a socket is processed before its call's deadline.
 */
export function createHubClock(): HubClock {
  const { now } = systemClock;
  let seenAt = now();
  let stalledAt: number | undefined;
  let waiting = 0;
  let endStall = () => {};

  function look(): void {
    const at = now();
    if (at - seenAt > stallTime && stalledAt === undefined) {
      stalledAt = seenAt;
      waiting = maxWaiting;
      awaitRequest();
    }
    seenAt = at;
  }

  /** Later input may already react to output after the stall. */
  function awaitRequest(): void {
    endStall();
    endStall = afterTurns(turnsOfRequest, () => (stalledAt = undefined));
  }

  const watch = setInterval(look, watchTime).unref();

  return {
    now,
    after(milliseconds, run) {
      const due = now() + milliseconds;
      let stop = systemClock.after(milliseconds, () => {
        look();
        if (stalledAt === undefined && now() - due <= lateTime) return run();
        stop = afterTurns(turnsOfCut, run);
      });
      return () => stop();
    },
    unread() {
      look();
      return stalledAt === undefined ? 0 : now() - stalledAt;
    },
    accepted() {
      look();
      if (stalledAt !== undefined && waiting-- > 0) awaitRequest();
    },
    close: () => clearInterval(watch),
  };
}

/** Runs a function after a number of polls of the event loop; returns a function that cancels it. */
function afterTurns(count: number, run: () => void): () => void {
  let immediate = setImmediate(function turn() {
    if (--count > 0) immediate = setImmediate(turn);
    else run();
  });
  return () => clearImmediate(immediate);
}
