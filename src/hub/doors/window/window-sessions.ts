// The sessions of agents' windows, by principal: no principal can reach another's.
import { WindowSession } from "./window-session.ts";
import type { WindowSessionOptions } from "./window-session.ts";
import type { WindowOffer } from "./read-offer.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Hold } from "../../cluster/homes.ts";
import type { Metrics } from "../../common/metrics.ts";

type Whose = Pick<Admitted, "principal" | "allowed">;

export interface WindowSessions {
  find(principal: string, id: string): WindowSession | undefined;
  /** Creates a session, or replaces the offer of an existing one. A session closes its hold when it ends. */
  keep(whose: Whose, id: string, kept: { readonly offer: WindowOffer; readonly hold?: Hold | undefined }): void;
  /** Ends a session that another hub has: its window comes back. */
  end(principal: string, id: string): void;
  /** Called when the allowed origins may have changed. */
  review(): void;
  close(): void;
}

export interface WindowSessionsOptions extends Omit<WindowSessionOptions, "offer" | "principal" | "onLeft"> {
  readonly metrics: WindowSessionOptions["metrics"] & Pick<Metrics, "overBudget">;
}

export function createWindowSessions(options: WindowSessionsOptions): WindowSessions {
  const principals = new Map<string, Map<string, WindowSession>>();
  const bytesOf = new WeakMap<WindowOffer, number>();
  const holds = new WeakMap<WindowSession, Hold>();

  function forget(principal: string, id: string): void {
    const sessions = principals.get(principal);
    const session = sessions?.get(id);
    if (!sessions || !session) return;
    session.close();
    sessions.delete(id);
    if (sessions.size === 0) principals.delete(principal);
    holds.get(session)?.close();
  }

  /** Evicts the oldest session without a socket; one that may reconnect in a moment comes last. */
  function makeRoom({ principal, allowed }: Whose): void {
    const { windowsPerPrincipal: max } = { ...options.limits, ...allowed };
    const sessions = principals.get(principal);
    if (!sessions || sessions.size < max) return;
    const left = [...sessions].filter(([, { isOpen }]) => !isOpen);
    const [id] = left.find(([, { isExpected }]) => !isExpected) ?? left[0] ?? [];
    if (id !== undefined) return forget(principal, id);
    options.metrics.overBudget("windowsPerPrincipal");
    throw new PagewireError(
      "windows-too-many",
      `${max} windows are open already (limit windowsPerPrincipal). Close one of them.`,
    );
  }

  /** The offers of one principal's windows share a size limit, as those of its tabs do. */
  function checkRoom({ principal, allowed }: Whose, id: string, offer: WindowOffer): void {
    const { offeredBytesPerPrincipal: max } = { ...options.limits, ...allowed };
    const own = JSON.stringify(offer.tools).length;
    const others = [...(principals.get(principal) ?? [])].filter(([other]) => other !== id);
    const bytes = others.reduce((sum, [, session]) => sum + (bytesOf.get(session.offer) ?? 0), own);
    if (bytes > max) {
      options.metrics.overBudget("offeredBytesPerPrincipal");
      throw new PagewireError(
        "offers-too-large",
        `One user's windows bring more than ${max} bytes of tools together (limit offeredBytesPerPrincipal). Close some of them.`,
      );
    }
    bytesOf.set(offer, own);
  }

  return {
    find: (principal, id) => principals.get(principal)?.get(id),
    keep(whose, id, { offer, hold }) {
      const { principal } = whose;
      const known = principals.get(principal)?.get(id);
      if (known) {
        if (offer.yields && !known.offer.yields && known.isExpected) throw inUse();
        checkRoom(whose, id, offer);
        known.offer = offer;
        return hold?.close();
      }
      makeRoom(whose);
      checkRoom(whose, id, offer);
      const sessions = principals.get(principal) ?? new Map<string, WindowSession>();
      principals.set(principal, sessions);
      const session = new WindowSession({ ...options, principal, offer, onLeft: () => forget(principal, id) });
      sessions.set(id, session);
      if (hold) holds.set(session, hold);
    },
    end(principal, id) {
      principals.get(principal)?.get(id)?.leave();
      forget(principal, id);
    },
    review() {
      for (const sessions of principals.values()) for (const session of sessions.values()) session.review();
    },
    close() {
      for (const [principal, sessions] of principals) for (const id of sessions.keys()) forget(principal, id);
    },
  };
}

function inUse(): PagewireError {
  return new PagewireError("tab-replaced", "Another window brings an app's tools into this conversation.");
}
