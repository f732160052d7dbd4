// One offer to the browser's own agent for all clients of a page: a second one would be refused every name.
import type { BrowserOffer } from "../page/index.ts";

export interface SharedOffer {
  /** Offers the tools while at least one client wants it. */
  set(client: object, isWanted: boolean): void;
  /** The page's tools that the browser has taken, for a client that wants it. */
  names(client: object): readonly string[];
}

export function shareOffer(offer: (signal: AbortSignal) => BrowserOffer): SharedOffer {
  const wanting = new Set<object>();
  let standing: BrowserOffer | undefined;
  let closing = new AbortController();

  return {
    set(client, isWanted) {
      if (isWanted) {
        wanting.add(client);
        standing ??= offer(closing.signal);
      } else if (wanting.delete(client) && wanting.size === 0) {
        closing.abort();
        closing = new AbortController();
        standing = undefined;
      }
    },
    names: (client) => (wanting.has(client) ? (standing?.names() ?? []) : []),
  };
}
