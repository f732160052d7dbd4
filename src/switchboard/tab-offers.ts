// The offers of tabs, and the part of each that agents see: all of it, without the tools that wait for a person to accept
// them. A reloaded page keeps its earlier offer for a while.
import type { Clock } from "../link/index.ts";
import type { SwitchboardLimits, Tool } from "../wire/index.ts";
import { covers } from "./offers.ts";
import type { SharedOffer } from "./offers.ts";
import type { Principal } from "./principal.ts";
import type { Tab, TabIdentity } from "./types.ts";

/** The owner of tools, and how they are offered: by a tab, or by the page that opened an agent's window. */
export interface PinnedPlace extends Pick<TabIdentity, "principal" | "origin" | "app"> {
  readonly via: "tab" | "window";
}

export interface Pins {
  isPinned(origin: string, principal: string): boolean;
  /** The tools that agents may not see now. */
  withheld(place: PinnedPlace, tools: readonly Tool[]): ReadonlySet<Tool>;
}

export interface TabOffers {
  /** A page came back: agents see its earlier offer until it offers all of that again or its grace time is over. */
  settle(principal: Principal, tab: Tab): void;
  /** A page offers something else, made from its current offer. */
  take(principal: Principal, tab: Tab, make: (actual: SharedOffer | undefined) => SharedOffer): void;
  /** Call this when the tools that agents may see have changed. */
  review(principal: Principal): void;
  withdraw(principal: Principal, tab: Tab): void;
}

export interface TabOffersOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly pins: Pins | undefined;
}

export function createTabOffers({ clock, limits, pins }: TabOffersOptions): TabOffers {
  const shown = createShownOffers(pins);

  function release(principal: Principal, offer: SharedOffer): void {
    principal.budget.release(shown.whole(offer));
  }

  function adopt(principal: Principal, tab: Tab): void {
    tab.stopSettling?.();
    tab.settling = false;
    if (tab.offer && tab.offer !== tab.actual) release(principal, tab.offer);
    tab.offer = tab.actual;
    changed(principal, tab);
  }

  return {
    settle(principal, tab) {
      tab.stopSettling?.();
      if (tab.actual && tab.actual !== tab.offer) release(principal, tab.actual);
      tab.actual = undefined;
      tab.settling = true;
      tab.stopSettling = clock.after(limits.graceTime, () => adopt(principal, tab));
    },
    take(principal, tab, make) {
      const before = tab.actual;
      const whole = make(before && shown.whole(before));
      tab.actual = shown.of(whole, tab);
      if (before && before !== tab.offer) release(principal, before);
      if (tab.actual === tab.offer) release(principal, tab.actual);
      if (!tab.settling || covers(whole, tab.offer && shown.whole(tab.offer))) adopt(principal, tab);
      else principal.calls.tabReady(tab);
    },
    review(principal) {
      for (const tab of principal.directory.tabs.values()) {
        const again = (offer: SharedOffer | undefined) => offer && shown.of(shown.whole(offer), tab);
        const [offer, actual] = [again(tab.offer), again(tab.actual)];
        if (offer === tab.offer && actual === tab.actual) continue;
        // Two parts of one offer are now equal.
        if (tab.offer !== tab.actual && offer && offer === actual) release(principal, offer);
        tab.offer = offer;
        tab.actual = actual;
        changed(principal, tab);
      }
    },
    withdraw(principal, tab) {
      tab.stopSettling?.();
      if (tab.actual && tab.actual !== tab.offer) release(principal, tab.actual);
      if (tab.offer) release(principal, tab.offer);
      tab.offer = tab.actual = undefined;
      principal.directory.regroup(tab);
    },
  };
}

function changed({ directory, calls, changes }: Principal, tab: Tab): void {
  directory.regroup(tab);
  calls.tabReady(tab);
  changes.note(tab);
}

interface ShownOffers {
  /** The visible part of an offer; the same object as long as that is unchanged. */
  of(whole: SharedOffer, place: Pick<TabIdentity, "principal" | "origin" | "app">): SharedOffer;
  /** The whole offer of a visible part. */
  whole(shown: SharedOffer): SharedOffer;
}

function createShownOffers(pins: Pins | undefined): ShownOffers {
  /** By the names of the withheld tools. */
  const parts = new WeakMap<SharedOffer, Map<string, SharedOffer>>();
  const wholes = new WeakMap<SharedOffer, SharedOffer>();

  return {
    of(whole, { principal, origin, app }) {
      if (!pins?.isPinned(origin, principal)) return whole;
      const tools = [...whole.tools.values(), ...whole.terminalTools.values()];
      const withheld = pins.withheld({ principal, origin, app, via: "tab" }, tools);
      if (withheld.size === 0) return whole;
      const known = parts.get(whole) ?? new Map<string, SharedOffer>();
      parts.set(whole, known);
      const key = [...withheld].map(({ name }) => name).join(" ");
      const part = known.get(key) ?? without(whole, withheld);
      known.set(key, part);
      wholes.set(part, whole);
      return part;
    },
    whole: (shown) => wholes.get(shown) ?? shown,
  };
}

function without(whole: SharedOffer, withheld: ReadonlySet<Tool>): SharedOffer {
  const rest = (tools: ReadonlyMap<string, Tool>) => new Map([...tools].filter(([, tool]) => !withheld.has(tool)));
  const names = new Set([...withheld].map(({ name }) => name));
  return { ...whole, tools: rest(whole.tools), terminalTools: rest(whole.terminalTools), withheld: names };
}
