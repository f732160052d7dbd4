// What was seen of the agent's window since it was opened or found. From that follows why it is gone or does not answer.
import { whereIs } from "./agent-place.ts";
import type { ConnectionReason } from "./bridge-states.ts";

export interface WindowSigns {
  /** The window was opened or found. */
  clear(): void;
  answered(): void;
  /** It shows another page. */
  strayed(): void;
  /** Looks at it; whether it may show the agent. */
  look(window: Window | null): boolean;
  /** Whether a window that looks closed was cut off. */
  isCutOff(): boolean;
  whySilent(): ConnectionReason;
}

/** At so many looks a window has a page, and is not about to be cut off. */
const enoughShown = 4;

export function createWindowSigns(self: Window, agentOrigin: string): WindowSigns {
  let hasAnswered = false;
  /** At how many looks it seemed to have a page. One that is being cut off seems so for a moment, too. */
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
    // It looks closed as soon as it has its page, which never answers, and keeps the focus that a closed one gives back.
    isCutOff: () => !hasAnswered && (timesShown < enoughShown || self.crossOriginIsolated || !self.document.hasFocus()),
    whySilent() {
      if (isElsewhere) return "navigated-away";
      return self.origin === "null" ? "origin-refused" : "not-responding";
    },
  };
}
