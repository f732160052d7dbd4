// The part of an offer that agents may see while some of its tools wait for a person to accept them.
import type { Tool } from "../wire/index.ts";
import type { SharedOffer } from "./offers.ts";
import type { TabIdentity } from "./types.ts";

/** The owner of tools, and how they are offered: by a tab, or by the page that opened an agent's window. */
export interface PinnedPlace extends Pick<TabIdentity, "principal" | "origin" | "app"> {
  readonly via: "tab" | "window";
}

export interface Pins {
  isPinned(origin: string): boolean;
  /** The tools that agents may not see now. */
  withheld(place: PinnedPlace, tools: readonly Tool[]): ReadonlySet<Tool>;
}

export interface ShownOffers {
  /** The visible part of an offer; the same object as long as that is unchanged. */
  of(whole: SharedOffer, place: Pick<TabIdentity, "principal" | "origin" | "app">): SharedOffer;
  /** The whole offer of a visible part. */
  whole(shown: SharedOffer): SharedOffer;
}

export function createShownOffers(pins: Pins | undefined): ShownOffers {
  /** By the names of the withheld tools. */
  const parts = new WeakMap<SharedOffer, Map<string, SharedOffer>>();
  const wholes = new WeakMap<SharedOffer, SharedOffer>();

  return {
    of(whole, { principal, origin, app }) {
      if (!pins?.isPinned(origin)) return whole;
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
