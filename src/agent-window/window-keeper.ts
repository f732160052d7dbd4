// Manages the agent's window: opens it, finds the one that this tab opened before, and notices when it is gone, and why.
import { besidePage, findWindow, isGone, openWindow, whereIs } from "./agent-place.ts";
import type { AgentPlace } from "./agent-place.ts";
import type { CheckedConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import type { ConnectionReason } from "./bridge-states.ts";

export interface WindowSigns {
  /** The window was opened or found. */
  clear(): void;
  answered(): void;
  /** It shows another page. */
  navigatedAway(): void;
  mayShowAgent(window: Window | null): boolean;
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
    navigatedAway() {
      isElsewhere = true;
    },
    mayShowAgent(window) {
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

export interface WindowKeeperOptions {
  readonly config: CheckedConfig;
  readonly environment: BridgeEnvironment;
  /** The window was closed, or the frame taken out of the page. */
  gone(kind: AgentPlace["kind"]): void;
}

export interface WindowKeeper {
  /** The window's name: the configured one, or one unique to this tab. */
  readonly name: string;
  readonly place: AgentPlace | undefined;
  /** The agent's window, if there is one. */
  target(): Window | null;
  /** Opens the window, or shows the agent in it again; false if the browser blocks it. */
  open(): boolean;
  /** Uses this place for the agent's window. */
  keep(place: AgentPlace): void;
  /** Finds the window that this tab opened; false if there is none. */
  find(): boolean;
  /** Checks now whether the window is gone; also runs every second. */
  check(): void;
  release(): void;
  /** Leaves the window to the next page of this tab, or the next bridge of this page. */
  leave(): void;
  /** This page is back, and owns the window again. */
  back(): void;
}

const watchTime = 1000;
const nameKey = "pagewire-agent-name";

export function createWindowKeeper({ config, environment, gone }: WindowKeeperOptions): WindowKeeper {
  const { clock, storage, self, newId } = environment;
  // The storage has the entry for the next page only between two pages: a duplicate of the tab, and a page that this one
  // opens, start with a copy of the storage, and must not take the window over.
  const name = config.windowName ?? take(nameKey) ?? `pagewire-agent-${newId()}`;
  const mark = `pagewire-agent-window ${name}`;
  let wasLeft = take(mark) !== undefined;
  let place: AgentPlace | undefined;
  let stopWatch = () => {};
  const openIn = (url: string, target: string, features?: string) => self.open(url, target, features);

  function take(key: string): string | undefined {
    const value = storage.get(key) ?? undefined;
    storage.remove(key);
    return value;
  }

  function keep(next: AgentPlace): void {
    place = next;
    watch();
  }

  function watch(): void {
    stopWatch();
    stopWatch = clock.after(watchTime, () => {
      watch();
      check();
    });
  }

  function check(): void {
    if (place && isGone(place)) gone(place.kind);
  }

  return {
    name,
    get place() {
      return place;
    },
    target: () => place?.window() ?? null,
    check,
    keep,
    open() {
      const { agentUrl: url, open, windowFeatures = besidePage(self) } = config;
      const opened = openWindow(openIn, { url, name, features: open === "tab" ? "" : windowFeatures });
      if (!opened) return false;
      wasLeft = false;
      keep(opened);
      return true;
    },
    find() {
      // Another bridge of this page may have left it a moment ago.
      if (!take(mark) && !wasLeft) return false;
      wasLeft = false;
      const found = findWindow(openIn, name);
      if (found) keep(found);
      return found !== undefined;
    },
    release() {
      place = undefined;
      stopWatch();
    },
    leave() {
      if (config.windowName === undefined) storage.set(nameKey, name);
      if (wasLeft || place?.kind === "window") storage.set(mark, "open");
    },
    back() {
      storage.remove(nameKey);
      storage.remove(mark);
    },
  };
}
