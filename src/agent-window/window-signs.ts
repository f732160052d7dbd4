// The observations of the agent's window since it was opened or found. They explain why it is gone or does not answer.
import { whereIs } from "./agent-place.ts";
import type { ConnectionReason } from "./bridge-states.ts";

export interface WindowSigns {
  /** The window was opened or found. */
  clear(): void;
  answered(): void;
  /** It shows another page. */
  strayed(): void;
  /** Checks it; returns whether it may show the agent. */
  look(window: Window | null): boolean;
  /** Whether a window that appears closed was cut off. */
  isCutOff(): boolean;
  whySilent(): ConnectionReason;
}

/** A window with a page at this many checks is not about to be cut off. */
const enoughShown = 4;

export function createWindowSigns(self: Window, agentOrigin: string): WindowSigns {
  let hasAnswered = false;
  /** The number of checks at which it appeared to have a page. A window that is being cut off also does for a moment. */
  let timesShown = 0;
  let isElsewhere = false;

  return {
    clear() {
      hasAnswered = isElsewhere = false;
      timesShown = 0;
    },
    answered() {
      hasAnswered = true;
      isElsewhere = false;
    },
    strayed() {
      isElsewhere = true;
    },
    look(window) {
      const at = window ? whereIs(window) : "blank";
      if (at === "blank") return false;
      timesShown++;
      const mayBeAgent = at === "unknown" || at.origin === agentOrigin;
      isElsewhere ||= !mayBeAgent;
      return mayBeAgent;
    },
    // A cut-off window appears closed as soon as it has its page, never answers, and keeps the focus, which a closed one returns.
    isCutOff: () => !hasAnswered && (timesShown < enoughShown || self.crossOriginIsolated || !self.document.hasFocus()),
    whySilent() {
      if (isElsewhere) return "navigated-away";
      return self.origin === "null" ? "origin-refused" : "not-responding";
    },
  };
}
