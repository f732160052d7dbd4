// Tools of pinned origins: agents are shown them only as their principal saw them first. One that is new, or changed since, waits
// until a person accepts it. What was seen first is what the first offer of an origin has that has any tools.
//
// In the store they are records of the kind "pins": `{ principal, via, origin, app, name, definition, at }`. The key is a digest
// of the first five.
import { createHash } from "node:crypto";
import type { PinnedPlace, Pins as ToolPins } from "../../switchboard/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { Limits, Tool } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, RecordStore, StoredRecord } from "../store/index.ts";

/** A tool of a pinned origin, as a person is shown it. */
export interface Pin {
  readonly origin: string;
  readonly app: string;
  /** How it is offered: by a tab, or by the page that opened an agent's window. */
  readonly via: PinnedPlace["via"];
  readonly name: string;
}

export interface WaitingTool extends Pin {
  /** As JSON; `before` only where it was another. */
  readonly definition: string;
  readonly before?: string | undefined;
}

/** Which tools a person means: all of an origin, or those of a name. */
export interface PinChoice {
  readonly origin: string;
  readonly name?: string | undefined;
}

export interface PinList {
  readonly pins: readonly Pin[];
  readonly waiting: readonly WaitingTool[];
  /** How many more wait than an answer has room for. */
  readonly more: number;
}

export interface Pins extends ToolPins {
  list(principal: string): Promise<PinList>;
  /** Accepts what waits; rejects where nothing of the kind does, or where it is not saved. */
  accept(principal: string, choice: PinChoice): Promise<readonly Pin[]>;
  /** Forgets what was pinned; of an origin of which nothing is left, the next offer is the first. */
  remove(principal: string, choice: PinChoice): Promise<readonly Pin[]>;
}

export interface PinsOptions {
  readonly isPinned: (origin: string) => boolean;
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "pinsPerPrincipal">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onNotSaved: () => void;
  readonly record: Audit["record"];
  /** What a principal's agents may be shown is different. */
  readonly changed: (principal: string) => void;
}

interface KeptPin extends Pin {
  readonly principal: string;
  readonly definition: string;
  readonly at: number;
}

/** What waits by its keys, and of which of it the audit was told. */
interface Waiting {
  readonly tools: Map<string, WaitingTool>;
  readonly told: Set<string>;
}

/** Of so many principals it is known what waits; a page that comes again says it again. */
const mostPrincipals = 200;
/** So many characters of definitions are listed at a time. */
const mostListed = 500_000;
const none: ReadonlySet<Tool> = new Set();

export function createPins({ isPinned, limits, now, record, changed, ...kept }: PinsOptions): Pins {
  const records = createPrincipalRecords<KeptPin>({ ...kept, kind: "pins", parse: parsePin, toRecord });
  const waiting = new Map<string, Waiting>();

  function waitingOf(principal: string): Waiting {
    const found = waiting.get(principal) ?? { tools: new Map<string, WaitingTool>(), told: new Set<string>() };
    waiting.delete(principal);
    waiting.set(principal, found);
    for (const oldest of waiting.keys()) if (waiting.size > mostPrincipals) waiting.delete(oldest);
    return found;
  }

  function tell(principal: string, { origin, app, name }: Pin, outcome: string): void {
    record({ kind: "policy", principal, origin, app, name: "pin", outcome, details: { tool: name } });
  }

  /** It holds at once, and is saved as soon as that is possible. */
  function pin(principal: string, tool: Omit<KeptPin, "principal" | "at">): Promise<void> {
    const value = { ...tool, principal, at: now() };
    return records.hold({ key: keyOf(value), principal, value });
  }

  function wait(principal: string, key: string, tool: WaitingTool): void {
    const { tools, told } = waitingOf(principal);
    if (tools.size >= limits.pinsPerPrincipal && !tools.has(key)) return;
    tools.set(key, tool);
    // A page that changes its tool to and fro fills no audit.
    if (told.has(key) || told.size >= limits.pinsPerPrincipal) return;
    told.add(key);
    tell(principal, tool, "waits");
  }

  function load(principal: string): void {
    // Where they cannot be read nothing is shown, and the next offer is another try.
    records.of(principal).then(
      () => changed(principal),
      () => kept.onNotSaved(),
    );
  }

  function withheld({ principal, ...place }: PinnedPlace, tools: readonly Tool[]): ReadonlySet<Tool> {
    if (!isPinned(place.origin)) return none;
    const known = records.known(principal);
    if (!known) {
      load(principal);
      return new Set(tools);
    }
    const isFirst = ![...known.values()].some(({ origin, via }) => origin === place.origin && via === place.via);
    return new Set(
      tools.filter((tool) => {
        const seen = { ...place, name: tool.name, definition: JSON.stringify(tool) };
        const key = keyOf({ ...seen, principal });
        const before = known.get(key)?.definition;
        if (before === seen.definition) {
          waiting.get(principal)?.tools.delete(key);
          return false;
        }
        if (!isFirst || known.size >= limits.pinsPerPrincipal) {
          wait(principal, key, { ...seen, before });
          return true;
        }
        pin(principal, seen).catch(() => {});
        tell(principal, seen, "pinned");
        return false;
      }),
    );
  }

  return {
    isPinned,
    withheld,
    async list(principal) {
      const pins = [...(await records.of(principal)).values()];
      const all = [...(waiting.get(principal)?.tools.values() ?? [])];
      let left = mostListed;
      const listed = all.filter(({ definition, before = "" }) => (left -= definition.length + before.length) > 0);
      return { pins: pins.map(shown), waiting: listed, more: all.length - listed.length };
    },
    async accept(principal, choice) {
      await records.of(principal);
      const found = [...(waiting.get(principal)?.tools ?? [])].filter(([, tool]) => isMeant(tool, choice));
      if (found.length === 0) throw nothingOf(choice, "waits");
      const works = found.map(([key, { definition, ...rest }]) => {
        const tool = { ...shown(rest), definition };
        waiting.get(principal)?.tools.delete(key);
        waiting.get(principal)?.told.delete(key);
        tell(principal, tool, "accepted");
        return pin(principal, tool);
      });
      changed(principal);
      await Promise.all(works);
      return found.map(([, tool]) => shown(tool));
    },
    async remove(principal, choice) {
      const found = [...(await records.of(principal))].filter(([, tool]) => isMeant(tool, choice));
      if (found.length === 0) throw nothingOf(choice, "is pinned");
      const works = found.map(([key, tool]) => {
        tell(principal, tool, "removed");
        return records.hold({ key, principal, value: undefined });
      });
      changed(principal);
      await Promise.all(works);
      return found.map(([, tool]) => shown(tool));
    },
  };
}

function isMeant(tool: Pin, { origin, name }: PinChoice): boolean {
  return tool.origin === origin && (name === undefined || tool.name === name);
}

function nothingOf({ origin, name }: PinChoice, what: string): PagewireError {
  const tool = name === undefined ? "No tool" : `No tool "${name.slice(0, 128)}"`;
  return new PagewireError("route-not-found", `${tool} of ${origin} ${what}. See: npx pagewire pins list`);
}

function shown({ origin, app, via, name }: Pin): Pin {
  return { origin, app, via, name };
}

function keyOf({ principal, via, origin, app, name }: Pin & { readonly principal: string }): string {
  return createHash("sha256")
    .update(JSON.stringify([principal, via, origin, app, name]))
    .digest("base64url");
}

function toRecord({ principal, via, origin, app, name, definition, at }: KeptPin): StoredRecord {
  return { principal, via, origin, app, name, definition, at };
}

function parsePin(_: string, record: StoredRecord): KeptPin | undefined {
  const { principal, via, origin, app, name, definition, at } = record;
  const areTexts = [origin, app, name, definition].every((text) => typeof text === "string");
  if (!areTexts || (via !== "tab" && via !== "window")) return undefined;
  const texts = { origin, app, name, definition } as Pick<KeptPin, "origin" | "app" | "name" | "definition">;
  return { principal, via, ...texts, at: typeof at === "number" ? at : 0 };
}
