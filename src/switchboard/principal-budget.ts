// What the tabs of one principal may offer together, and how many they may be.
import { PagewireError } from "../wire/index.ts";
import type { Payload, SwitchboardLimits, TokenBudgets, OnOver } from "../wire/index.ts";
import { tooLarge } from "./offers.ts";
import type { Admit, OfferPool, SharedOffer } from "./offers.ts";

/** What a page may be given less of than its hub allows, by the token that it came with. */
export type Allowed = TokenBudgets | undefined;

export interface PrincipalBudget {
  /** Throws a named error where there are as many tabs already as there may be. */
  admitTab(count: number, allowed: Allowed): void;
  /** The offer in this payload, in place of the one that the same page offered before; throws a named error. */
  take(payload: Payload, before: SharedOffer | undefined, allowed: Allowed): SharedOffer;
  /** The offer that the change in this payload makes of another, in its place. */
  change(offer: SharedOffer, payload: Payload, allowed: Allowed): SharedOffer;
  /** To be called once for every offer that was given out. */
  release(offer: SharedOffer): void;
}

type OfferBudget = "tabsPerPrincipal" | "offersPerPrincipal" | "offeredBytesPerPrincipal";
type BudgetLimits = Pick<SwitchboardLimits, OfferBudget>;

/** A budget over the pool that all principals share. An offer that many tabs have counts once. */
export function createPrincipalBudget(pool: OfferPool, limits: BudgetLimits, onOver?: OnOver): PrincipalBudget {
  const held = new Map<SharedOffer, { readonly bytes: number; readonly count: number; users: number }>();
  const inAll = { bytes: 0, count: 0 };

  /** Throws where there are more than there may be. */
  const check = (name: OfferBudget, { count, allowed }: { count: number; allowed: Allowed }) => {
    const most = allowed?.[name] ?? limits[name];
    if (count <= most) return;
    onOver?.(name);
    throw refusals[name](most);
  };
  /** What goes with the offer in whose place another comes. */
  const freedBy = (before: SharedOffer | undefined) => {
    const replaced = before && held.get(before);
    return replaced?.users === 1 ? replaced : { bytes: 0, count: 0 };
  };
  const admitInsteadOf =
    (before: SharedOffer | undefined, allowed: Allowed): Admit =>
    (bytes, known) => {
      if (known && held.has(known)) return;
      check("offeredBytesPerPrincipal", { count: inAll.bytes - freedBy(before).bytes + bytes, allowed });
    };
  const hold = (offer: SharedOffer, before: SharedOffer | undefined, allowed: Allowed): SharedOffer => {
    const known = held.get(offer);
    const count = known ? 0 : countOf(offer);
    try {
      check("offersPerPrincipal", { count: count && inAll.count - freedBy(before).count + count, allowed });
    } catch (error) {
      pool.release(offer);
      throw error;
    }
    if (known) {
      known.users++;
    } else {
      const bytes = pool.bytesOf(offer);
      held.set(offer, { bytes, count, users: 1 });
      inAll.bytes += bytes;
      inAll.count += count;
    }
    return offer;
  };

  return {
    admitTab: (count, allowed) => check("tabsPerPrincipal", { count: count + 1, allowed }),
    take(payload, before, allowed) {
      // No text is made of bytes that are too many for any.
      if (typeof payload !== "string") check("offeredBytesPerPrincipal", { count: payload.length, allowed });
      return hold(pool.take(payload, admitInsteadOf(before, allowed)), before, allowed);
    },
    change: (offer, payload, allowed) =>
      hold(pool.change(offer, payload, admitInsteadOf(offer, allowed)), offer, allowed),
    release(offer) {
      const known = held.get(offer);
      if (known && --known.users === 0) {
        held.delete(offer);
        inAll.bytes -= known.bytes;
        inAll.count -= known.count;
      }
      pool.release(offer);
    },
  };
}

function countOf(offer: SharedOffer): number {
  const { tools, terminalTools, resources, resourceTemplates, prompts } = offer;
  return tools.size + terminalTools.size + resources.size + resourceTemplates.size + prompts.size;
}

const refusals: Record<OfferBudget, (most: number) => PagewireError> = {
  tabsPerPrincipal: (most) =>
    new PagewireError(
      "tabs-too-many",
      `${most} tabs of one user are open already (limit tabsPerPrincipal). Close some of them.`,
    ),
  offersPerPrincipal: (most) =>
    new PagewireError(
      "offers-too-many",
      `The pages of one user offer more than ${most} things together (limit offersPerPrincipal). Close some of them, or offer less.`,
    ),
  offeredBytesPerPrincipal: (most) =>
    tooLarge(`The pages of one user offer more than ${most} bytes together`, "offeredBytesPerPrincipal"),
};
