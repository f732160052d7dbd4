// Keeps one link up: connects, and reconnects with a backoff when the link ends. It depends neither on the transport nor on
// the messages.
import { PagewireError, linkCloseReason, messageOf } from "../wire/index.ts";
import type { CloseReason } from "../wire/index.ts";
import type { Clock, Link, LinkEvents } from "./link.ts";

/** Why there is no link, and the time until the next attempt. */
export interface Waiting {
  readonly milliseconds: number;
  /** The number of the next attempt in a row. */
  readonly attempt: number;
  /** How the last link ended, or why the attempt failed. */
  readonly reason: CloseReason | PagewireError;
}

export interface ReconnectOptions {
  connect(): Promise<Link>;
  readonly clock: Clock;
  /** A number from zero up to one, such as `Math.random`. */
  random(): number;
  /** Called with each new link; returns the listeners for its events. When the link closes, the next one is made. */
  onLink(link: Link): LinkEvents;
  onWaiting(waiting: Waiting): void;
}

/** A link that is reconnected whenever it ends. */
export interface Reconnect {
  /** Ends a wait now; does nothing during a link or an attempt. */
  retryNow(): void;
  /** Ends the current wait, or else the next one, at a random time within this many milliseconds. */
  retryWithin(milliseconds: number): void;
  /** Makes the next wait at least this long, since many other clients reconnect at the same time. */
  spread(milliseconds: number): void;
  /** Closes the link and stops reconnecting. */
  close(reason?: CloseReason): void;
}

/** The max of the first wait; the max doubles with each further one. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** A link that was up this long resets the backoff. */
const STABLE_TIME = 10_000;

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
      // A link without listeners is of no use.
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
    // Each wait is random, so that clients that lost the same hub do not reconnect at the same time.
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
