// Limits of one principal: the number of its tabs, and what they offer together.
import { PagewireError } from "../wire/index.ts";
import type { Payload, SwitchboardLimits, TokenBudgets, OnOver } from "../wire/index.ts";
import { tooLarge } from "./offers.ts";
import type { Admit, OfferPool, SharedOffer } from "./offers.ts";

/** Lower limits than the hub's, from the token of the page. */
export type Allowed = TokenBudgets | undefined;

export interface PrincipalBudget {
  /** The current offers of its pages. */
  readonly used: { readonly count: number; readonly bytes: number };
  /** Throws a named error if the principal has too many tabs. */
  admitTab(count: number, allowed: Allowed): void;
  /** Parses an offer that replaces the page's earlier one; throws a named error. */
  take(payload: Payload, before: SharedOffer | undefined, allowed: Allowed): SharedOffer;
  /** Applies the change in this payload to an offer, and replaces it. */
  change(offer: SharedOffer, payload: Payload, allowed: Allowed): SharedOffer;
  /** Call this once for every offer returned. */
  release(offer: SharedOffer): void;
}

type OfferBudget = "tabsPerPrincipal" | "offersPerPrincipal" | "offeredBytesPerPrincipal";
type BudgetLimits = Pick<SwitchboardLimits, OfferBudget>;

/** A budget within the pool that all principals share. An offer of several tabs counts once. */
export function createPrincipalBudget(pool: OfferPool, limits: BudgetLimits, onOver?: OnOver): PrincipalBudget {
  const held = new Map<SharedOffer, { readonly bytes: number; readonly count: number; users: number }>();
  const inAll = { bytes: 0, count: 0 };

  /** Throws where there are more than there may be. */
  const check = (name: OfferBudget, { count, allowed }: { count: number; allowed: Allowed }) => {
    const max = allowed?.[name] ?? limits[name];
    if (count <= max) return;
    onOver?.(name);
    throw refusals[name](max);
  };
  /** The share of the budget that a replaced offer frees. */
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
    used: inAll,
    admitTab: (count, allowed) => check("tabsPerPrincipal", { count: count + 1, allowed }),
    take(payload, before, allowed) {
      // Too many bytes are refused before they are decoded.
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

const refusals: Record<OfferBudget, (max: number) => PagewireError> = {
  tabsPerPrincipal: (max) =>
    new PagewireError(
      "tabs-too-many",
      `${max} tabs of one user are open already (limit tabsPerPrincipal). Close some of them.`,
    ),
  offersPerPrincipal: (max) =>
    new PagewireError(
      "offers-too-many",
      `The pages of one user offer more than ${max} things together (limit offersPerPrincipal). Close some of them, or offer less.`,
    ),
  offeredBytesPerPrincipal: (max) =>
    tooLarge(`The pages of one user offer more than ${max} bytes together`, "offeredBytesPerPrincipal"),
};
