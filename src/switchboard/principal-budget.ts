// What the pages of one principal may take together: so many tabs, and so much memory for the texts of their offers.
import { PagewireError } from "../wire/index.ts";
import type { SwitchboardLimits, Payload } from "../wire/index.ts";
import type { Admit, OfferPool, SharedOffer } from "./offer-pool.ts";

export interface PrincipalBudget {
  /** Throws a named error where there are as many tabs already as there may be. */
  admitTab(count: number): void;
  /** The offer in this payload, in place of the one that the same page offered before; throws a named error. */
  take(payload: Payload, before: SharedOffer | undefined): SharedOffer;
  /** The offer that the change in this payload makes of another, in its place. */
  change(offer: SharedOffer, payload: Payload): SharedOffer;
  /** To be called once for every offer that was given out. */
  release(offer: SharedOffer): void;
}

export type BudgetLimits = Pick<SwitchboardLimits, "tabsPerPrincipal" | "offeredBytesPerPrincipal">;

/** A budget over the pool that all principals share. An offer that many tabs have counts once. */
export function createPrincipalBudget(
  pool: OfferPool,
  { tabsPerPrincipal, offeredBytesPerPrincipal }: BudgetLimits,
): PrincipalBudget {
  const held = new Map<SharedOffer, { readonly bytes: number; users: number }>();
  let heldBytes = 0;

  const admitInsteadOf =
    (before: SharedOffer | undefined): Admit =>
    (text, known) => {
      if (known && held.has(known)) return;
      const replaced = before && held.get(before);
      const freed = replaced?.users === 1 ? replaced.bytes : 0;
      if (heldBytes - freed + memoryOf(text) <= offeredBytesPerPrincipal) return;
      throw new PagewireError(
        "offers-too-large",
        `The pages of one user offer more than ${offeredBytesPerPrincipal} bytes together (limit offeredBytesPerPrincipal). Close some of them, or offer less.`,
      );
    };
  const hold = (offer: SharedOffer): SharedOffer => {
    const known = held.get(offer);
    if (known) {
      known.users++;
    } else {
      const bytes = memoryOf(pool.textOf(offer));
      held.set(offer, { bytes, users: 1 });
      heldBytes += bytes;
    }
    return offer;
  };

  return {
    admitTab(count) {
      if (count < tabsPerPrincipal) return;
      throw new PagewireError(
        "tabs-too-many",
        `${tabsPerPrincipal} tabs of one user are open already (limit tabsPerPrincipal). Close some of them.`,
      );
    },
    take: (payload, before) => hold(pool.take(payload, admitInsteadOf(before))),
    change: (offer, payload) => hold(pool.change(offer, payload, admitInsteadOf(offer))),
    release(offer) {
      const known = held.get(offer);
      if (known && --known.users === 0) {
        held.delete(offer);
        heldBytes -= known.bytes;
      }
      pool.release(offer);
    },
  };
}

/** A text with one character beyond Latin-1 takes two bytes for each of them. */
function memoryOf(text: string): number {
  return text.length * (/[\u0100-\uffff]/.test(text) ? 2 : 1);
}
