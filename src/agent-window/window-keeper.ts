// Which window is the agent's: opens it, finds the one that this tab opened before, and notices when it is gone.
import { besidePage, findWindow, isGone, openWindow } from "./agent-place.ts";
import type { AgentPlace } from "./agent-place.ts";
import type { CheckedConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";

export interface WindowKeeperOptions {
  readonly config: CheckedConfig;
  readonly environment: BridgeEnvironment;
  /** The window was closed, or the frame taken out of the page. */
  gone(kind: AgentPlace["kind"]): void;
}

export interface WindowKeeper {
  /** The window's name: the one that was said, or one that no other tab has. */
  readonly name: string;
  readonly place: AgentPlace | undefined;
  /** The agent's window, if there is one. */
  target(): Window | null;
  /** Opens the window, or shows the agent in it again; false where the browser does not let it. */
  open(): boolean;
  /** Takes this place for the agent's window. */
  keep(place: AgentPlace): void;
  /** Finds the window that this tab had opened; false where there is none. */
  find(): boolean;
  /** Looks now whether the window is gone, and every second by itself. */
  look(): void;
  /** Lets go of the window. */
  release(): void;
  /** Leaves the window to the next page of this tab, or the next bridge of this page. */
  leave(): void;
  /** This page is back, and the window its own again. */
  back(): void;
}

const watchTime = 1000;
const nameKey = "pagewire-agent-name";

export function createWindowKeeper({ config, environment, gone }: WindowKeeperOptions): WindowKeeper {
  const { clock, storage, self, newId } = environment;
  // What the next page is told is in the storage only between two pages: a duplicate of the tab, and a page that this one
  // opens, start with a copy of the storage, and the window is none of theirs.
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
      look();
    });
  }

  function look(): void {
    if (place && isGone(place)) gone(place.kind);
  }

  return {
    name,
    get place() {
      return place;
    },
    target: () => place?.window() ?? null,
    look,
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
