// The last read offer of a server, and its listeners.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Offer, OfferChange, Json } from "../wire/index.ts";
import { isUnanswered, mayPass } from "./failures.ts";
import { diffOffers, keyOf, parseItem, shownKey } from "./parse-items.ts";
import type { LeftOut, McpClock } from "./mcp-toolbox.ts";
import type { Session } from "./session.ts";
import type { ItemNeeds } from "./parse-items.ts";
import { createReadSchedule, restTime } from "./read-schedule.ts";

const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const satisfies Record<keyof Offer, string>;

interface ListNeeds extends ItemNeeds {
  leftOut(kind: keyof Offer, name: string, reason: PagewireError): void;
}

/** Reads all pages of one list; unreadable items are left out. Rejects if the server does not return the list. */
async function readList<Kind extends keyof Offer>(
  session: Session,
  kind: Kind,
  { limits, anyNames, leftOut }: ListNeeds,
): Promise<Offer[Kind]> {
  const items = new Map<string, Offer[Kind][number]>();
  const take = (given: Json) => {
    const item = parseItem(kind, given, { limits, anyNames });
    const key = keyOf(kind, item);
    if (items.has(key)) throw tooMany(`"${key}" is in the server's list of ${kind} twice. The first is taken.`);
    items.set(key, item);
  };
  let left = limits.offersPerServer;
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 1; isOffered(session, kind); page++) {
    const { list, size, next } = await readPage(session, kind, { cursor, timeout: limits.connectTime });
    for (const given of list.slice(0, left)) {
      try {
        take(given);
      } catch (error) {
        leftOut(kind, shownKey(kind, given), error as PagewireError);
      }
    }
    left -= list.length;
    bytes += size;
    const isWhole = next === undefined || next === cursor;
    if (left < 0 || (!isWhole && (page >= limits.pagesPerList || bytes >= limits.frameBytes))) {
      leftOut(kind, theRest, tooMany(tooLong(kind)));
      break;
    }
    if (isWhole) break;
    cursor = next;
  }
  return [...items.values()] as unknown as Offer[Kind];
}

function tooLong(kind: keyof Offer): string {
  return `The server's list of ${kind} is too long (limits offersPerServer, pagesPerList, frameBytes): the rest is left out.`;
}

function isOffered({ client }: Session, kind: keyof Offer): boolean {
  return Boolean(client.getServerCapabilities()?.[kind === "resourceTemplates" ? "resources" : kind]);
}

interface Part {
  readonly cursor: string | undefined;
  readonly timeout: number;
}

async function readPage(session: Session, kind: keyof Offer, { cursor, timeout }: Part) {
  const given = { timeout, signal: session.over };
  const reply = await session.request(methods[kind], cursor === undefined ? {} : { cursor }, given);
  const text = "text" in reply ? reply.text : "null";
  const result: unknown = JSON.parse(text);
  const list = isJsonObject(result) ? result[kind] : undefined;
  if (!isJsonObject(result) || !Array.isArray(list)) {
    throw new PagewireError("frame-malformed", `The server's answer to ${methods[kind]} has no list of ${kind}.`);
  }
  const { nextCursor } = result;
  const next = typeof nextCursor === "string" ? nextCursor : undefined;
  return { list: list as readonly Json[], size: text.length, next };
}

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

/** Stands for the items beyond a limit, whose names are not read. */
const theRest = "*";

function tooMany(message: string): PagewireError {
  return new PagewireError("offers-too-many", message);
}

export interface OfferKeeper {
  offer(): Offer;
  /** Reads these lists; all of them by default. Rejects if the server does not return its tools. */
  read(session: Session, which?: readonly (keyof Offer)[]): Promise<void>;
  /** Schedules a read of these lists: the server notified a change. */
  readSoon(session: Session, which: readonly (keyof Offer)[]): void;
  /** The items of the last read that are not in the offer. */
  leftOut(): readonly LeftOut[];
  close(): void;
}

export interface OfferNeeds extends ItemNeeds {
  readonly lists: readonly (keyof Offer)[];
  readonly clock: McpClock;
  readonly random: () => number;
  /** Whether what fails is read again in the background. */
  readonly follow: boolean;
  changed(change: OfferChange): void;
  /** Receives the failures of scheduled reads, and of lists that are not vital. */
  problem(error: unknown): void;
  /** Receives the reason for each item that is left out: once, until it changes. */
  leftOut(reason: PagewireError): void;
}

export function createOfferKeeper(needs: OfferNeeds): OfferKeeper {
  const { clock } = needs;
  let offer: Offer = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  let omitted: readonly LeftOut[] = [];
  let beyond: readonly LeftOut[] = [];
  let reading = Promise.resolve();
  let rested = 0;
  /** The lists whose last read failed. */
  const failing = new Set<keyof Offer>();
  const soon = createReadSchedule({
    ...needs,
    read: (session, which) => read(session, which, "soon"),
    rested: () => reading.then(() => rested),
  });

  async function readNow(session: Session, which: readonly (keyof Offer)[], how: "now" | "soon"): Promise<void> {
    const wanted = which.filter((kind) => needs.lists.includes(kind));
    const found: { readonly item: LeftOut; readonly reason: PagewireError }[] = [];
    const list = {
      ...needs,
      leftOut: (kind: keyof Offer, name: string, reason: PagewireError) =>
        void found.push({ item: { kind, name, message: reason.message }, reason }),
    };
    const readOne = async (kind: keyof Offer) => [kind, await readOrKeep(kind, { session, list, how })];
    const read = await Promise.all(wanted.map(readOne));
    const max = needs.limits.offersPerServer;
    const { bounded: next, cut } = boundOffer({ ...offer, ...(Object.fromEntries(read) as Partial<Offer>) }, max);
    const known = new Set([...omitted, ...beyond].map(({ message }) => message));
    omitted = [...omitted.filter(({ kind }) => !wanted.includes(kind)), ...found.map(({ item }) => item)];
    beyond = [];
    if (cut > 0) {
      const reason = tooMany(`The server offers more than ${max} (limit offersPerServer): ${cut} are left out.`);
      beyond = [{ kind: "resourceTemplates", name: theRest, message: reason.message }];
      found.push({ item: beyond[0] as LeftOut, reason });
    }
    for (const { item, reason } of found) if (!known.has(item.message)) needs.leftOut(reason);
    const change = diffOffers(offer, next);
    offer = next;
    if (change) needs.changed(change);
  }

  interface Reading {
    readonly session: Session;
    readonly list: ListNeeds;
    readonly how: "now" | "soon";
  }

  /** If a list cannot be read it stays unchanged; but without tools a server is useless. */
  async function readOrKeep(kind: keyof Offer, { session, list, how }: Reading): Promise<readonly object[]> {
    try {
      const items = await readList(session, kind, list);
      failing.delete(kind);
      return items;
    } catch (error) {
      if (kind === "tools" || session.over.aborted || (how === "soon" && isUnanswered(error))) throw error;
      // Many servers with resources have no templates.
      if ((error as { readonly code?: unknown }).code === methodNotFound) return offer[kind];
      if (how === "now" || !failing.has(kind)) needs.problem(error);
      failing.add(kind);
      if (needs.follow && mayPass(error)) soon.retry(session, [kind]);
      return offer[kind];
    }
  }

  /** Reads run one after the other, so that each difference is to the one reported before. */
  function read(session: Session, which = needs.lists, how: "now" | "soon" = "now"): Promise<void> {
    const done = reading.then(() => readNow(session, which, how));
    reading = done.catch(() => {}).then(() => void (rested = clock.now() + restTime));
    return done;
  }

  return {
    offer: () => offer,
    read,
    readSoon: soon.schedule,
    leftOut: () => [...omitted, ...beyond],
    close: soon.close,
  };
}

const methodNotFound = -32_601;
