import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Json, Offer } from "../wire/index.ts";
import { keyOf, parseItem } from "./parse-items.ts";
import type { ItemNeeds } from "./parse-items.ts";
import type { Session } from "./session.ts";

const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const satisfies Record<keyof Offer, string>;

export interface ListNeeds extends ItemNeeds {
  /** Hears of what is left out. */
  problem(error: unknown): void;
}

/** Reads one list of a server, all parts of it; what cannot be read is left out. Rejects where the server does not give it. */
export async function readList<Kind extends keyof Offer>(
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

/** Takes as much of an offer as the limit allows, tools first. */
export function boundOffer({ tools, prompts, resources, resourceTemplates }: Offer, needs: ListNeeds): Offer {
  const most = needs.limits.offersPerServer;
  let left = most;
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
    needs.problem(leftOut(`The server offers more than ${most} (limit offersPerServer): ${-left} are left out.`));
  return bounded;
}

function leftOut(message: string): PagewireError {
  return new PagewireError("offers-too-many", message);
}
