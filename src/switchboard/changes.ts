// Announces changed lists: a moment after the first change, together with all others of that moment, and not at all if the
// list is equal in the end. A page may change its lists as often as it likes without a cost to agents.
import type { Clock } from "../link/index.ts";
import type { SwitchboardLimits } from "../wire/index.ts";
import type { Directory } from "./directory.ts";
import type { Tab } from "./types.ts";

export interface Changes {
  /** Call this after anything that may have changed a list; with the tab, if its offer did. */
  note(offering?: Tab): void;
  /** Announces a change of this tab's offer at once, unless another was announced just before: then it returns true. */
  announce(tabId: string): boolean;
  subscribe(listener: (what: "tabs" | "offer") => void): () => void;
  close(): void;
}

export function createChanges(clock: Clock, limits: SwitchboardLimits, directory: Directory): Changes {
  const listeners = new Set<(what: "tabs" | "offer") => void>();
  let stopTimer: (() => void) | undefined;
  let announcedAt = -Infinity;
  /** The tabs whose new offers are still to be announced. */
  const offering = new Set<string>();
  let lastOffer: object | undefined;
  let lastOfferText = "";
  let lastTabsText = "";
  let lastOffers: readonly Tab["offer"][] = [];

  const read = (): ("tabs" | "offer")[] => {
    const different: ("tabs" | "offer")[] = [];
    const { offer } = directory.exposure();
    const offerText = offer === lastOffer ? lastOfferText : JSON.stringify(offer);
    const tabsText = directory.text();
    if (offerText !== lastOfferText) different.push("offer");
    const offers = [...directory.tabs.values()].map((tab) => tab.offer);
    const isSame = offers.length === lastOffers.length && offers.every((each, at) => isEqual(each, lastOffers[at]));
    if (tabsText !== lastTabsText || !isSame) different.push("tabs");
    lastOffers = offers;
    [lastOffer, lastOfferText, lastTabsText] = [offer, offerText, tabsText];
    return different;
  };

  function announce(): void {
    stopTimer?.();
    stopTimer = undefined;
    offering.clear();
    announcedAt = clock.now();
    for (const what of read()) for (const listener of listeners) listener(what);
  }

  return {
    note(tab) {
      if (listeners.size === 0) return;
      if (tab) offering.add(tab.tabId);
      stopTimer ??= clock.after(limits.changesTime, announce);
    },
    announce(tabId) {
      // A page that changes its offer in every call costs agents no more than one that does so between calls.
      if (offering.has(tabId) && clock.now() - announcedAt >= limits.changesTime) announce();
      return offering.has(tabId);
    },
    subscribe(listener) {
      if (listeners.size === 0) read();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stopTimer?.();
      listeners.clear();
    },
  };
}

/** Equal offers are mostly one object, except where no tab had the offer for a moment. */
function isEqual(one: Tab["offer"], other: Tab["offer"]): boolean {
  return one === other || textOf(one) === textOf(other);
}

function textOf(offer: Tab["offer"]): string {
  const { tools, resources, resourceTemplates, prompts } = offer ?? {};
  return JSON.stringify([tools, resources, resourceTemplates, prompts].map((items) => [...(items?.values() ?? [])]));
}
