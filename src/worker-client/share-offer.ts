// One offer to the browser's own agent for all clients of a page: a second one would be refused every name. It has the tools
// of those that want it.
import type { BrowserOffer } from "../page/index.ts";
import type { LocalToolbox } from "../toolbox/index.ts";
import type { OfferChange } from "../wire/index.ts";

export interface SharedOffer {
  /** Offers a client's tools, or takes them back. */
  set(client: object, isWanted: boolean): void;
  /** The owners of tools may have changed: the browser takes them from the new ones. */
  look(): void;
  /** The page's tools that the browser has taken, for a client that wants it. */
  names(client: object): readonly string[];
}

interface OfferNeeds {
  readonly toolbox: LocalToolbox;
  readonly ownerOf: (name: string) => object | undefined;
  offer(page: { readonly toolbox: LocalToolbox }, signal: AbortSignal): BrowserOffer;
}

export function shareOffer({ toolbox, ownerOf, offer }: OfferNeeds): SharedOffer {
  const wanting = new Set<object>();
  const listeners = new Set<(change: OfferChange) => void>();
  let standing: BrowserOffer | undefined;
  let closing = new AbortController();

  function isOffered({ name }: { readonly name: string }): boolean {
    const owner = ownerOf(name);
    return owner === undefined || wanting.has(owner);
  }

  const view: LocalToolbox = {
    ...toolbox,
    offer() {
      const all = toolbox.offer();
      return { ...all, tools: all.tools.filter(isOffered) };
    },
    subscribe(listener) {
      const stop = toolbox.subscribe(listener);
      listeners.add(listener);
      return () => {
        stop();
        listeners.delete(listener);
      };
    },
  };

  /** Listeners read the view again: the toolbox tells nothing where a tool only changes its owner. */
  function look(): void {
    for (const listener of listeners) listener({ add: { tools: [] }, remove: {} });
  }

  return {
    set(client, isWanted) {
      if (wanting.has(client) === isWanted) return;
      if (isWanted) {
        wanting.add(client);
        if (standing) look();
        else standing = offer({ toolbox: view }, closing.signal);
      } else if (wanting.delete(client) && wanting.size > 0) look();
      else {
        closing.abort();
        closing = new AbortController();
        standing = undefined;
      }
    },
    look,
    names: (client) => (wanting.has(client) ? (standing?.names() ?? []) : []),
  };
}
