// Tools of pinned origins: agents see them only as their principal saw them first. A new or changed tool waits until a person
// accepts it. The first offer of an origin with any tools is pinned without asking.
//
// In the store they are records of the kind "pins": `{ principal, via, origin, app, name, definition, at }`. The key is a digest
// of the first five.
import { createHash } from "node:crypto";
import type { PinnedPlace, Pins as ToolPins } from "../../switchboard/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { Limits, Tool } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore, StoredRecord } from "../store/index.ts";
import { createWaitingTools } from "./waiting-tools.ts";
import type { WaitingTools } from "./waiting-tools.ts";

export interface Pin {
  readonly origin: string;
  readonly app: string;
  /** Its source: a tab, or the page that opened an agent's window. */
  readonly via: PinnedPlace["via"];
  readonly name: string;
}

export interface WaitingTool extends Pin {
  /** As JSON; `before` only for a changed tool. */
  readonly definition: string;
  readonly before?: string | undefined;
}

/** Selects all tools of an origin, or those with a name. */
export interface PinChoice {
  readonly origin: string;
  readonly name?: string | undefined;
  /** Only with this definition, as JSON. */
  readonly definition?: string | undefined;
}

export interface PinList {
  readonly pins: readonly Pin[];
  readonly waiting: readonly WaitingTool[];
  /** The number of waiting tools beyond those listed. */
  readonly more: number;
}

export interface Pins extends ToolPins {
  list(principal: string): Promise<PinList>;
  /** Accepts waiting tools; rejects if there are none, or if they could not be saved. */
  accept(principal: string, choice: PinChoice): Promise<readonly Pin[]>;
  /** Removes pins. If an origin has none left, its next offer counts as the first. */
  remove(principal: string, choice: PinChoice): Promise<readonly Pin[]>;
}

export interface PinsOptions {
  readonly isPinned: (origin: string, principal: string) => boolean;
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "pinsPerPrincipal" | "pinBytesPerPrincipal">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onNotSaved: () => void;
  readonly record: Audit["record"];
  /** Called when the visible tools of a principal's agents change. */
  readonly changed: (principal: string) => void;
  /** Called when a principal's waiting tools may have changed. */
  readonly onWaiting?: (principal: string) => void;
}

interface KeptPin extends Pin {
  readonly principal: string;
  readonly definition: string;
  readonly at: number;
}

/** Max characters of definitions in a list. */
const maxListed = 500_000;
const none: ReadonlySet<Tool> = new Set();

export function createPins(options: PinsOptions): Pins {
  return new PinnedTools(options);
}

class PinnedTools implements Pins {
  readonly #options: PinsOptions;
  readonly #records: PrincipalRecords<KeptPin>;
  readonly #waiting: WaitingTools<WaitingTool>;

  constructor(options: PinsOptions) {
    const { store, later, onNotSaved, limits, changed } = options;
    this.#options = options;
    this.#records = createPrincipalRecords({
      ...{ store, later, onNotSaved, kind: "pins", parse: parsePin, toRecord },
      onReread: changed,
    });
    this.#waiting = createWaitingTools(limits);
  }

  isPinned(origin: string, principal: string): boolean {
    return this.#options.isPinned(origin, principal);
  }

  withheld({ principal, ...place }: PinnedPlace, tools: readonly Tool[]): ReadonlySet<Tool> {
    if (!this.isPinned(place.origin, principal)) return none;
    const known = this.#records.known(principal);
    if (!known) {
      this.#load(principal);
      return new Set(tools);
    }
    const isSeen = [...known.values()].some(({ origin, via }) => origin === place.origin && via === place.via);
    const takes = isSeen ? () => false : this.#createRoom(known);
    const wereWaiting = this.#waiting.of(principal).size > 0;
    const withheld = new Set(
      tools.filter((tool) => {
        const seen = { ...place, name: tool.name, definition: JSON.stringify(tool) };
        const key = keyOf({ ...seen, principal });
        const before = known.get(key)?.definition;
        if (before === seen.definition) {
          this.#waiting.delete(principal, key);
          return false;
        }
        if (!takes(key, seen.definition)) {
          if (this.#waiting.add(principal, key, { ...seen, before })) this.#record(principal, seen, "waits");
          return true;
        }
        this.#pin(principal, seen).catch(() => {});
        this.#record(principal, seen, "pinned");
        return false;
      }),
    );
    if (wereWaiting || withheld.size > 0) this.#options.onWaiting?.(principal);
    return withheld;
  }

  async list(principal: string): Promise<PinList> {
    const pins = [...(await this.#records.of(principal)).values()];
    const all = [...this.#waiting.of(principal).values()];
    let left = maxListed;
    const listed = all.filter(({ definition, before = "" }) => (left -= definition.length + before.length) > 0);
    return { pins: pins.map(shown), waiting: listed, more: all.length - listed.length };
  }

  async accept(principal: string, choice: PinChoice): Promise<readonly Pin[]> {
    const known = await this.#records.of(principal);
    const found = [...this.#waiting.of(principal)].filter(([, tool]) => isMeant(tool, choice));
    if (found.length === 0) throw nothingOf(choice, "waits");
    const takes = this.#createRoom(known);
    if (!found.every(([key, { definition }]) => takes(key, definition))) throw noRoom();
    const works = found.map(([key, { definition, ...rest }]) => {
      const tool = { ...shown(rest), definition };
      this.#waiting.settle(principal, key);
      this.#record(principal, tool, "accepted");
      return this.#pin(principal, tool);
    });
    this.#options.changed(principal);
    this.#options.onWaiting?.(principal);
    await Promise.all(works);
    return found.map(([, tool]) => shown(tool));
  }

  async remove(principal: string, choice: PinChoice): Promise<readonly Pin[]> {
    const found = [...(await this.#records.of(principal))].filter(([, tool]) => isMeant(tool, choice));
    if (found.length === 0) throw nothingOf(choice, "is pinned");
    const works = found.map(([key, tool]) => {
      this.#record(principal, tool, "removed");
      return this.#records.hold({ key, principal, value: undefined });
    });
    this.#options.changed(principal);
    await Promise.all(works);
    return found.map(([, tool]) => shown(tool));
  }

  #record(principal: string, { origin, app, name }: Pin, outcome: string): void {
    this.#options.record({ kind: "policy", principal, origin, app, name: "pin", outcome, details: { tool: name } });
  }

  /** Takes effect at once; saving is retried. */
  #pin(principal: string, tool: Omit<KeptPin, "principal" | "at">): Promise<void> {
    const value = { ...tool, principal, at: this.#options.now() };
    return this.#records.hold({ key: keyOf(value), principal, value });
  }

  /** If pins cannot be read, nothing is shown until the next offer. */
  #load(principal: string): void {
    this.#records.of(principal).then(
      () => this.#options.changed(principal),
      () => this.#options.onNotSaved(),
    );
  }

  /** Returns a function that adds or replaces a pin if there is room, and returns whether there was. */
  #createRoom(known: ReadonlyMap<string, KeptPin>): (key: string, definition: string) => boolean {
    const { pinsPerPrincipal, pinBytesPerPrincipal } = this.#options.limits;
    let count = known.size;
    let bytes = [...known.values()].reduce((sum, { definition }) => sum + Buffer.byteLength(definition), 0);
    return (key, definition) => {
      const before = known.get(key)?.definition;
      const more = Buffer.byteLength(definition) - (before === undefined ? 0 : Buffer.byteLength(before));
      const isNew = before === undefined ? 1 : 0;
      if (count + isNew > pinsPerPrincipal || bytes + more > pinBytesPerPrincipal) return false;
      count += isNew;
      bytes += more;
      return true;
    };
  }
}

function isMeant(tool: Pin & { readonly definition: string }, { origin, name, definition }: PinChoice): boolean {
  const isNamed = tool.origin === origin && (name === undefined || tool.name === name);
  return isNamed && (definition === undefined || tool.definition === definition);
}

function nothingOf({ origin, name }: PinChoice, what: string): PagewireError {
  const tool = name === undefined ? "No tool" : `No tool "${name.slice(0, 128)}"`;
  return new PagewireError("route-not-found", `${tool} of ${origin} ${what}. See: npx pagewire pins list`);
}

function noRoom(): PagewireError {
  const message =
    "No more tools can be pinned by the limits pinsPerPrincipal and pinBytesPerPrincipal. Forget those of an origin that you do not use: npx pagewire pins remove <origin>";
  return new PagewireError("offers-too-many", message);
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
