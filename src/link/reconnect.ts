// Keeps one link up: makes it, hears of its end, waits, makes the next. It knows neither what carries the link nor what
// travels on it.
import { PagewireError, linkCloseReason, messageOf } from "../wire/index.ts";
import type { CloseReason } from "../wire/index.ts";
import type { Clock, Link, LinkEvents } from "./link.ts";

/** Why there is no link, and for how long at least. */
export interface Waiting {
  readonly milliseconds: number;
  /** The how many-th attempt in a row this wait is for. */
  readonly attempt: number;
  /** How the last link ended, or why none could be made. */
  readonly reason: CloseReason | PagewireError;
}

export interface ReconnectOptions {
  /** Makes a link, or rejects. */
  connect(): Promise<Link>;
  readonly clock: Clock;
  /** A number from zero up to one, such as `Math.random`. */
  random(): number;
  /** Is given each link that was made, and says who hears of its events. When that link closes, the next is made. */
  onLink(link: Link): LinkEvents;
  onWaiting(waiting: Waiting): void;
}

/** A link that is made again whenever it ends. */
export interface Reconnect {
  /** Ends a wait now; does nothing while there is a link or an attempt. */
  retryNow(): void;
  /** Makes the present wait, or else the next one, end at a random time within so many milliseconds. */
  retryWithin(milliseconds: number): void;
  /** Has the next wait be as long as this, where it would be shorter: many others come back at the same time. */
  spread(milliseconds: number): void;
  /** Closes the link and makes no other. */
  close(reason?: CloseReason): void;
}

/** The longest first wait; each one that follows may be twice as long. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** A link that was up this long ends the row of attempts. */
const STABLE_TIME = 10_000;

/** Keeps one link up, from now on. */
export function createReconnect({ connect, clock, random, onLink, onWaiting }: ReconnectOptions): Reconnect {
  let attempt = 0;
  let window: number | undefined;
  let atLeast = 0;
  let link: Link | undefined;
  let waiting: { readonly reason: Waiting["reason"]; stop(): void } | undefined;
  let closed = false;

  async function makeLink(): Promise<void> {
    waiting = undefined;
    let made: Link | undefined;
    let events: LinkEvents;
    try {
      made = await connect();
      if (closed) return made.close();
      link = made;
      events = onLink(made);
    } catch (error) {
      // A link that nobody hears is of no use.
      made?.close(linkCloseReason("internal-error"));
      return lost(errorOf(error));
    }
    const since = clock.now();
    const { message, closed: tellClosed } = events;
    made.start({
      message,
      closed(reason) {
        if (clock.now() - since >= STABLE_TIME) attempt = 0;
        try {
          tellClosed(reason);
        } finally {
          lost(reason);
        }
      },
    });
  }

  function lost(reason: Waiting["reason"]): void {
    if (closed) return;
    // Each waits a random part of the time: many that lost the same hub do not come back as one.
    const longest = window ?? Math.max(atLeast, Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt));
    window = undefined;
    atLeast = 0;
    attempt += 1;
    wait(longest, reason);
  }

  function wait(longest: number, reason: Waiting["reason"]): void {
    const milliseconds = random() * longest;
    waiting = { reason, stop: clock.after(milliseconds, () => void makeLink()) };
    onWaiting({ milliseconds, attempt, reason });
  }

  void makeLink();

  return {
    retryNow() {
      if (!waiting) return;
      waiting.stop();
      void makeLink();
    },
    retryWithin(milliseconds) {
      if (!waiting) {
        window = milliseconds;
      } else {
        waiting.stop();
        wait(milliseconds, waiting.reason);
      }
    },
    spread(milliseconds) {
      atLeast = milliseconds;
    },
    close(reason) {
      closed = true;
      waiting?.stop();
      waiting = undefined;
      link?.close(reason);
    },
  };
}

function errorOf(thrown: unknown): PagewireError {
  if (PagewireError.isInstance(thrown)) return thrown;
  return new PagewireError("hub-unreachable", `The connection failed: ${messageOf(thrown)}`, { cause: thrown });
}
