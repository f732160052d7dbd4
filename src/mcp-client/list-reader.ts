// Reads one of a server's lists: now, and again after a change or a failure. No list waits for another one.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Offer, Json } from "../wire/index.ts";
import { mayPass } from "./failures.ts";
import { keyOf, parseItem, shownKey } from "./parse-items.ts";
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
  leftOut(name: string, reason: PagewireError): void;
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
        leftOut(shownKey(kind, given), error as PagewireError);
      }
    }
    left -= list.length;
    bytes += size;
    const isWhole = next === undefined || next === cursor;
    if (left < 0 || (!isWhole && (page >= limits.pagesPerList || bytes >= limits.frameBytes))) {
      leftOut(theRest, tooMany(tooLong(kind)));
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

/** Stands for the items beyond a limit, whose names are not read. */
export const theRest = "*";

export function tooMany(message: string): PagewireError {
  return new PagewireError("offers-too-many", message);
}

export interface ReaderNeeds extends ItemNeeds {
  readonly clock: McpClock;
  readonly random: () => number;
  /** Whether what fails is read again in the background. */
  readonly follow: boolean;
  /** Receives the failures of scheduled reads, and of lists that are not vital. */
  problem(error: unknown): void;
}

/** A list as it was read. */
export interface FoundList {
  readonly kind: keyof Offer;
  readonly items: readonly object[];
  readonly leftOut: readonly { readonly item: LeftOut; readonly reason: PagewireError }[];
  /** The number of this read among those of the list: the results of two may come in another order. */
  readonly turn: number;
}

export interface ListReader {
  /** Undefined if the list stays as it was: it could not be read. Without tools a server is useless: that rejects. */
  read(session: Session): Promise<FoundList | undefined>;
  /** Schedules a read, whose list `take` gets: the server notified a change. */
  readSoon(session: Session): void;
  close(): void;
}

interface Taking {
  readonly needs: ReaderNeeds;
  take(found: FoundList): void;
}

export function createListReader(kind: keyof Offer, { needs, take }: Taking): ListReader {
  let reading = Promise.resolve();
  let rested = 0;
  let turns = 0;
  const soon = createReadSchedule({
    ...needs,
    rested: () => reading.then(() => rested),
    async read(session) {
      const found = await readInTurn(session);
      if (found) take(found);
    },
  });

  async function readNow(session: Session): Promise<FoundList | undefined> {
    const turn = ++turns;
    const omitted: { readonly item: LeftOut; readonly reason: PagewireError }[] = [];
    const leftOut = (name: string, reason: PagewireError) =>
      void omitted.push({ item: { kind, name, message: reason.message }, reason });
    try {
      return { kind, items: await readList(session, kind, { ...needs, leftOut }), leftOut: omitted, turn };
    } catch (error) {
      // Many servers with resources have no templates.
      if (kind !== "tools" && (error as { readonly code?: unknown }).code === methodNotFound) return undefined;
      throw error;
    }
  }

  /** The reads of a list run one after the other. */
  function readInTurn(session: Session): Promise<FoundList | undefined> {
    const done = reading.then(() => readNow(session));
    reading = done.then(
      () => void (rested = needs.clock.now() + restTime),
      () => void (rested = needs.clock.now() + restTime),
    );
    return done;
  }

  return {
    async read(session) {
      try {
        return await readInTurn(session);
      } catch (error) {
        if (kind === "tools" || session.over.aborted) throw error;
        needs.problem(error);
        if (needs.follow && mayPass(error)) soon.retry(session);
        return undefined;
      }
    },
    readSoon: soon.schedule,
    close: soon.close,
  };
}

const methodNotFound = -32_601;
