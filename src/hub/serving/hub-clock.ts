import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";

/** A clock for a process that may stand still: stopped, swapped out, or held up by one long task. */
export interface HubClock extends Clock {
  /** How long what is read now may have lain unread: the time that the process just stood still, or 0. */
  unread(): number;
  /** To be called with each connection that is accepted. */
  accepted(): void;
  /** Stops watching for stalls. Timers go on. */
  close(): void;
}

/** How often the process looks whether it stands still. A stall may have begun that much later than it is taken to. */
const watchTime = 100;
/** A gap of more than this between two looks is a stall. */
const stallTime = 250;
/** A timer that is later than this waits for what lies unread. */
const lateTime = 100;
/** Node accepts one connection in a turn of the loop, and reads from it in the next. */
const turnsOfRequest = 2;
/** How many connections wait to be accepted at the most: those that come after them were opened since. */
const mostWaiting = 511;
/** From the turn of the loop that reads the end of a connection, Node's HTTP server needs three to say that it is closed. */
const turnsOfCut = 5;

/**
 * Makes the hub's clock. A timer that is due after a stall runs only when what came meanwhile was read, so that a cut, an
 * ack or a result that lies in a socket comes before the deadline of its call.
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
      waiting = mostWaiting;
      awaitRequest();
    }
    seenAt = at;
  }

  /** What is read later may be a caller's answer to what it was told since. */
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

/** Runs something when the event loop has polled so many times; the returned function calls it off. */
function afterTurns(count: number, run: () => void): () => void {
  let immediate = setImmediate(function turn() {
    if (--count > 0) immediate = setImmediate(turn);
    else run();
  });
  return () => clearImmediate(immediate);
}
