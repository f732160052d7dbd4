// The last read offer of a server, and its listeners.
import type { PagewireError, Offer, OfferChange } from "../wire/index.ts";
import { createListReader, theRest, tooMany } from "./list-reader.ts";
import type { FoundList, ReaderNeeds } from "./list-reader.ts";
import { diffOffers } from "./parse-items.ts";
import type { LeftOut } from "./mcp-toolbox.ts";
import type { Session } from "./session.ts";

/** Truncates an offer to the limit, tools first; also returns the number of items that are left out. */
function boundOffer({ tools, prompts, resources, resourceTemplates }: Offer, max: number) {
  let left = max;
  const take = <Item>(items: readonly Item[]): readonly Item[] => {
    const taken = items.slice(0, Math.max(0, left));
    left -= items.length;
    return taken;
  };
  const bounded: Offer = {
    tools: take(tools),
    prompts: take(prompts),
    resources: take(resources),
    resourceTemplates: take(resourceTemplates),
  };
  return { bounded, cut: Math.max(0, -left) };
}

export interface OfferKeeper {
  offer(): Offer;
  /** Reads all lists. Rejects if the server does not return its tools. */
  read(session: Session): Promise<void>;
  /** Schedules a read of these lists: the server notified a change. */
  readSoon(session: Session, which: readonly (keyof Offer)[]): void;
  /** The items of the last read that are not in the offer. */
  leftOut(): readonly LeftOut[];
  close(): void;
}

export interface OfferNeeds extends ReaderNeeds {
  readonly lists: readonly (keyof Offer)[];
  changed(change: OfferChange): void;
  /** Receives the reason for each item that is left out: once, until it changes. */
  leftOut(reason: PagewireError): void;
}

/** Each list is read by itself: one that the server never answers keeps none of the others from being read. */
export function createOfferKeeper(needs: OfferNeeds): OfferKeeper {
  const max = needs.limits.offersPerServer;
  let whole: Offer = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  let offer = whole;
  let omitted: readonly LeftOut[] = [];
  let beyond: readonly LeftOut[] = [];
  const turns = new Map<keyof Offer, number>();
  const readers = new Map(
    needs.lists.map((kind) => [kind, createListReader(kind, { needs, take: (found) => take([found]) })]),
  );

  /** Takes what was read, unless the same list was read again meanwhile. */
  function take(all: readonly FoundList[]): void {
    const found = all.filter(({ kind, turn }) => turn > (turns.get(kind) ?? 0));
    for (const { kind, turn } of found) turns.set(kind, turn);
    whole = { ...whole, ...(Object.fromEntries(found.map(({ kind, items }) => [kind, items])) as Partial<Offer>) };
    const { bounded: next, cut } = boundOffer(whole, max);
    const known = new Set([...omitted, ...beyond].map(({ message }) => message));
    const kinds = new Set(found.map(({ kind }) => kind));
    const reasons = found.flatMap(({ leftOut }) => leftOut);
    omitted = [...omitted.filter(({ kind }) => !kinds.has(kind)), ...reasons.map(({ item }) => item)];
    beyond = [];
    if (cut > 0) {
      const reason = tooMany(`The server offers more than ${max} (limit offersPerServer): ${cut} are left out.`);
      beyond = [{ kind: "resourceTemplates", name: theRest, message: reason.message }];
      reasons.push({ item: beyond[0] as LeftOut, reason });
    }
    for (const { item, reason } of reasons) if (!known.has(item.message)) needs.leftOut(reason);
    const change = diffOffers(offer, next);
    offer = next;
    if (change) needs.changed(change);
  }

  return {
    offer: () => offer,
    async read(session) {
      const found = await Promise.all(Array.from(readers.values(), (reader) => reader.read(session)));
      take(found.filter((list) => list !== undefined));
    },
    readSoon(session, which) {
      for (const kind of which) readers.get(kind)?.readSoon(session);
    },
    leftOut: () => [...omitted, ...beyond],
    close() {
      for (const { close } of readers.values()) close();
    },
  };
}
