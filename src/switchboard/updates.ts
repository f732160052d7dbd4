// Announces that a resource has new contents: at once, and where it changes again within a moment, once more at the
// end of it. A page can say so as often as it likes; agents are not to pay for that.
import type { Clock } from "../link/index.ts";
import type { SwitchboardLimits } from "../wire/index.ts";
import type { Directory } from "./directory.ts";
import { offersResource } from "./exposed-resources.ts";
import type { Tab } from "./model.ts";

export interface Updates {
  /** A tab says that this resource of its own has new contents. */
  note(tab: Tab, uri: string): void;
  subscribe(listener: (uri: string, tabId: string) => void): () => void;
  close(): void;
}

export function createUpdates(clock: Clock, limits: SwitchboardLimits, directory: Directory): Updates {
  const listeners = new Set<(uri: string, tabId: string) => void>();
  /** What was announced within this moment, and what of it has changed again. */
  const told = new Set<string>();
  const changedAgain = new Map<string, { readonly tab: Tab; readonly uri: string }>();
  let stopTimer: (() => void) | undefined;

  function note(tab: Tab, uri: string): void {
    if (listeners.size === 0 || !tab.group || !offersResource(tab.group.offer, uri)) return;
    const key = `${tab.tabId}\n${uri}`;
    if (told.has(key)) return void changedAgain.set(key, { tab, uri });
    // A template stands for any number of resources: those of a moment are not all remembered.
    if (told.size >= limits.offersPerPage) endMoment();
    told.add(key);
    stopTimer ??= clock.after(limits.changesTime, endMoment);
    const listed = directory.exposure().listedUri(tab.group, uri);
    for (const name of new Set([uri, listed])) for (const listener of listeners) listener(name, tab.tabId);
  }

  function endMoment(): void {
    const due = [...changedAgain.values()];
    forget();
    for (const { tab, uri } of due) note(tab, uri);
  }

  function forget(): void {
    stopTimer?.();
    stopTimer = undefined;
    told.clear();
    changedAgain.clear();
  }

  return {
    note,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      forget();
      listeners.clear();
    },
  };
}
