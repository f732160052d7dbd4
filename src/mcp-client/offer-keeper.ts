// The last read offer of a server, and its listeners.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Offer, OfferChange, Json } from "../wire/index.ts";
import { diffOffers, keyOf, parseItem } from "./parse-items.ts";
import type { McpClock } from "./mcp-toolbox.ts";
import type { Session } from "./session.ts";
import type { ItemNeeds } from "./parse-items.ts";

const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const satisfies Record<keyof Offer, string>;

interface ListNeeds extends ItemNeeds {
  /** Receives the items that are left out. */
  problem(error: unknown): void;
}

/** Reads all pages of one list; unreadable items are left out. Rejects if the server does not return the list. */
async function readList<Kind extends keyof Offer>(
  session: Session,
  kind: Kind,
  { limits, anyNames, problem }: ListNeeds,
): Promise<Offer[Kind]> {
  const items = new Map<string, Offer[Kind][number]>();
  const take = (given: Json) => {
    const item = parseItem(kind, given, { limits, anyNames });
    const key = keyOf(kind, item);
    if (items.has(key)) throw leftOut(`"${key}" is in the server's list of ${kind} twice. The first is taken.`);
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
        problem(error);
      }
    }
    left -= list.length;
    bytes += size;
    const isWhole = next === undefined || next === cursor;
    if (left < 0 || (!isWhole && (page >= limits.pagesPerList || bytes >= limits.frameBytes))) {
      problem(leftOut(tooLong(kind)));
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

/** Truncates an offer to the limit, tools first. */
function boundOffer({ tools, prompts, resources, resourceTemplates }: Offer, needs: ListNeeds): Offer {
  const max = needs.limits.offersPerServer;
  let left = max;
  const take = <Item>(items: readonly Item[]): readonly Item[] => {
    const taken = items.slice(0, Math.max(0, left));
    left -= items.length;
    return taken;
  };
  const bounded = {
    tools: take(tools),
    prompts: take(prompts),
    resources: take(resources),
    resourceTemplates: take(resourceTemplates),
  };
  if (left < 0)
    needs.problem(leftOut(`The server offers more than ${max} (limit offersPerServer): ${-left} are left out.`));
  return bounded;
}

function leftOut(message: string): PagewireError {
  return new PagewireError("offers-too-many", message);
}

/** The min delay between two reads caused by notifications: some servers send one on every read. */
const restTime = 250;

export interface OfferKeeper {
  offer(): Offer;
  /** Reads these lists; all of them by default. Rejects if the server does not return its tools. */
  read(session: Session, which?: readonly (keyof Offer)[]): Promise<void>;
  /** Schedules a read of these lists: the server notified a change. */
  readSoon(session: Session, which: readonly (keyof Offer)[]): void;
}

export interface OfferNeeds extends ListNeeds {
  readonly lists: readonly (keyof Offer)[];
  readonly clock: McpClock;
  changed(change: OfferChange): void;
}

export function createOfferKeeper(needs: OfferNeeds): OfferKeeper {
  const { clock } = needs;
  const due = new Set<keyof Offer>();
  let offer: Offer = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  let reading = Promise.resolve();
  let rested = 0;
  /** The session of a scheduled read. */
  let telling: Session | undefined;

  async function readNow(session: Session, which: readonly (keyof Offer)[]): Promise<void> {
    const wanted = which.filter((kind) => needs.lists.includes(kind));
    const read = await Promise.all(wanted.map(async (kind) => [kind, await readOrKeep(session, kind)]));
    const next = boundOffer({ ...offer, ...(Object.fromEntries(read) as Partial<Offer>) }, needs);
    const change = diffOffers(offer, next);
    offer = next;
    if (change) needs.changed(change);
  }

  /** If a list cannot be read it stays unchanged; but without tools a server is useless. */
  async function readOrKeep(session: Session, kind: keyof Offer): Promise<readonly object[]> {
    try {
      return await readList(session, kind, needs);
    } catch (error) {
      if (kind === "tools" || session.over.aborted) throw error;
      // Many servers with resources have no templates.
      if ((error as { readonly code?: unknown }).code !== methodNotFound) needs.problem(error);
      return offer[kind];
    }
  }

  /** Reads run one after the other, so that each difference is to the one reported before. */
  function read(session: Session, which = needs.lists): Promise<void> {
    const done = reading.then(() => readNow(session, which));
    reading = done.catch(() => {}).then(() => void (rested = clock.now() + restTime));
    return done;
  }

  async function readDue(): Promise<void> {
    const session = telling;
    const which = [...due];
    telling = undefined;
    due.clear();
    if (!session || session.over.aborted) return;
    await read(session, which).catch((error: unknown) => session.over.aborted || needs.problem(error));
  }

  return {
    offer: () => offer,
    read,
    readSoon(session, which) {
      for (const kind of which) due.add(kind);
      const isWaiting = telling !== undefined;
      telling = session;
      if (isWaiting) return;
      void reading.then(() => {
        const wait = rested - clock.now();
        if (wait > 0) clock.after(wait, () => void readDue());
        else void readDue();
      });
    },
  };
}

const methodNotFound = -32_601;
