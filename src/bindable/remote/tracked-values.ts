// The values of a core's properties by their last events, and when each part last changed. The number of the last change
// that a client saw shows what it lacks: nothing is stored for disconnected clients.
import type { Json } from "../../wire/index.ts";
import type { WcBindableDeclaration } from "../declaration.ts";
import { copyJson } from "./copy-json.ts";
import type { JsonBounds } from "./copy-json.ts";
import { findGrowth, isSame } from "./find-growth.ts";
import type { FoundGrowth } from "./find-growth.ts";
import type { BindableLogger, ServerMessage } from "./messages.ts";
import { isError, toWireError } from "./remote-error.ts";

/** A property and its history. */
export interface Tracked {
  readonly name: string;
  readonly index: number;
  value: Json | undefined;
  /** `failed` could not be read when it was last tried. */
  state: "absent" | "present" | "failed";
  /** The last change, and the one before. */
  version: number;
  previous: number;
  /** How the last change grew it, if that is all that it did. */
  growth: FoundGrowth | undefined;
  /** The change since which it only grew. */
  since: number;
  /** Of a list: the last change of each item. */
  stamps: readonly number[];
}

export interface TrackedValues extends Iterable<Tracked> {
  /** The last change. */
  readonly version: number;
  readonly names: readonly string[];
  /** Reads every property again; a change without an event counts as one. */
  read(): void;
  /** Stops listening. */
  close(): void;
}

export interface TrackedValuesOptions {
  readonly core: EventTarget;
  readonly declaration: WcBindableDeclaration;
  readonly bounds: JsonBounds;
  readonly logger: BindableLogger;
  /** `byEvent` for changes that the core dispatched. */
  readonly changed: (tracked: Tracked, byEvent: boolean) => void;
}

export function createTrackedValues({
  core,
  declaration,
  bounds,
  logger,
  changed,
}: TrackedValuesOptions): TrackedValues {
  let version = 0;
  const undo: (() => void)[] = [];
  const all = declaration.properties.map(({ name }, index): Tracked => {
    return {
      name,
      index,
      value: undefined,
      state: "absent",
      version: 0,
      previous: 0,
      growth: undefined,
      since: 0,
      stamps: [],
    };
  });

  function take(value: unknown): Json | undefined {
    return isError(value) ? { ...toWireError(value) } : copyJson(value, bounds);
  }

  function change(tracked: Tracked, value: Json | undefined, byEvent: boolean): void {
    const { value: before, stamps } = tracked;
    version += 1;
    tracked.growth = before === undefined || value === undefined ? undefined : findGrowth(before, value);
    if (!tracked.growth) tracked.since = version;
    const items: readonly Json[] = Array.isArray(before) ? before : [];
    tracked.stamps = Array.isArray(value)
      ? value.map((item: Json, at) =>
          at < items.length && isSame(item, items[at]) ? (stamps[at] ?? version) : version,
        )
      : [];
    tracked.previous = tracked.version;
    tracked.version = version;
    tracked.value = value;
    tracked.state = "present";
    changed(tracked, byEvent);
  }

  function listen(tracked: Tracked, { event, getter }: WcBindableDeclaration["properties"][number]): void {
    const listener = (happened: Event) => {
      try {
        const value = getter ? getter(happened) : ((happened as CustomEvent).detail ?? emptyOf(core, tracked.name));
        change(tracked, take(value), true);
      } catch (error) {
        logger.warn(`A change of "${tracked.name}" was not sent: ${toWireError(error).message}`);
      }
    };
    core.addEventListener(event, listener);
    undo.push(() => core.removeEventListener(event, listener));
  }

  function readOne(tracked: Tracked): void {
    try {
      if (!(tracked.name in core)) {
        tracked.state = "absent";
        return;
      }
      const value = take((core as unknown as Readonly<Record<string, unknown>>)[tracked.name]);
      if (tracked.state === "present" && isSame(value, tracked.value)) return;
      change(tracked, value, false);
    } catch (error) {
      tracked.state = "failed";
      logger.warn(`The property "${tracked.name}" could not be read: ${toWireError(error).message}`);
    }
  }

  all.forEach((tracked, at) => {
    const property = declaration.properties[at];
    if (property) listen(tracked, property);
  });

  return {
    [Symbol.iterator]: () => all.values(),
    get version() {
      return version;
    },
    names: all.map(({ name }) => name),
    read: () => all.forEach(readOne),
    close() {
      for (const step of undo.splice(0)) step();
    },
  };
}

/** An event's detail is null where undefined was meant; the core knows which it is. */
function emptyOf(core: EventTarget, name: string): null | undefined {
  return name in core && (core as unknown as Readonly<Record<string, unknown>>)[name] === undefined ? undefined : null;
}

/** A client's version of a property. */
export interface Held {
  /** The last change that the client has. */
  readonly seen: number;
  /** How long the text is that it holds. */
  readonly length: number | undefined;
  /** The last change that was sent to it, of any property. */
  readonly lastSent: number;
}

/** The update of a changed property for a client. */
export function updateFor(tracked: Tracked, { seen, length, lastSent }: Held): ServerMessage {
  const { index, name, value, version: seq, previous, growth, since, stamps } = tracked;
  if (growth && seen === previous) {
    const { path, added } = growth;
    if (path.length > 0) return [index, added, seq, path];
    return seq === lastSent + 1 ? [index, added] : [index, added, seq];
  }
  if (typeof value === "string" && seen >= since && length !== undefined && length <= value.length) {
    return { type: "update", name, keep: length, rest: value.slice(length), seq };
  }
  if (Array.isArray(value)) {
    const fresh = stamps.findIndex((stamp) => stamp > seen);
    const keep = fresh === -1 ? value.length : fresh;
    if (keep > 0) return { type: "update", name, keep, rest: value.slice(keep) as Json[], seq };
  }
  return { type: "update", name, ...(value !== undefined && { value }), seq };
}
