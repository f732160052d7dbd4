// The state of a bridge's connection to the agent's window: four states, and all transitions.

export type ConnectionState = "disconnected" | "connecting" | "connected" | "reconnecting";

/**
 * The reason for the state, unless the page asked for it.
 * - `popup-blocked`: the browser blocked the window.
 * - `closed-by-user`: the window was closed.
 * - `navigated-away`: the window shows another page.
 * - `not-responding`: the window exists and does not answer.
 * - `cut-off`: a page's Cross-Origin-Opener-Policy cut the window off from the page that opened it.
 * - `replaced`: another page opened the same window, and is now its parent.
 * - `origin-refused`: this page has no origin that an agent could answer.
 * - `closed`: the page closed the window.
 * - `destroyed`: the bridge was destroyed; the window may still exist.
 */
export type ConnectionReason =
  | "popup-blocked"
  | "closed-by-user"
  | "navigated-away"
  | "not-responding"
  | "cut-off"
  | "replaced"
  | "origin-refused"
  | "closed"
  | "destroyed";

export type ConnectionEvent = "opening" | "answered" | "silent" | "lost";

const ways: Readonly<Record<ConnectionState, Partial<Record<ConnectionEvent, ConnectionState>>>> = {
  disconnected: { opening: "connecting" },
  connecting: { answered: "connected", lost: "disconnected" },
  connected: { silent: "reconnecting", lost: "disconnected" },
  reconnecting: { answered: "connected", lost: "disconnected" },
};

/** The state after an event; undefined if the event changes nothing in this state. */
export function nextState(state: ConnectionState, event: ConnectionEvent): ConnectionState | undefined {
  return ways[state][event];
}

export interface ConnectionStates {
  readonly now: ConnectionState;
  readonly why: ConnectionReason | undefined;
  /** Applies a transition. Call the returned notifier last: listeners may re-enter. */
  move(event: ConnectionEvent, why?: ConnectionReason): () => void;
}

export type StateListener = (
  state: ConnectionState,
  previous: ConnectionState,
  reason: ConnectionReason | undefined,
) => void;

export function createStates(changed: StateListener): ConnectionStates {
  let now: ConnectionState = "disconnected";
  let reason: ConnectionReason | undefined;
  return {
    get now() {
      return now;
    },
    get why() {
      return reason;
    },
    move(event, why) {
      const next = nextState(now, event);
      if (!next) return () => {};
      const previous = now;
      now = next;
      reason = why;
      return () => changed(next, previous, why);
    },
  };
}
