import { plainText } from "../../wire/index.ts";

const minute = 60_000;

interface Repeats<Item> {
  /** Reports the item at once if it is the first of its kind in this minute. */
  add(kind: string, item: Item): void;
  /** Whether this kind is counted already, or there is room for another one. */
  hasRoomFor(kind: string, maxKinds: number): boolean;
  /** Reports what was counted so far. */
  close(): void;
}

/**
 * Reports the first item of a kind at once, and its repeats when the minute ends: the last of them, with their count. A flood
 * makes a few reports a minute.
 */
export function collapseRepeats<Item>(report: (item: Item, repeats?: number) => void): Repeats<Item> {
  const kinds = new Map<string, { repeats: number; last: Item }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function close(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { repeats, last } of kinds.values()) if (repeats > 0) report(last, repeats);
    kinds.clear();
  }

  return {
    add(kind, item) {
      const known = kinds.get(kind);
      if (!known) report(item);
      kinds.set(kind, { repeats: known ? known.repeats + 1 : 0, last: item });
      timer ??= setTimeout(close, minute).unref();
    },
    hasRoomFor: (kind, maxKinds) => kinds.has(kind) || kinds.size < maxKinds,
    close,
  };
}

/** Records never contain tokens, arguments or results. */
export interface LogRecord {
  readonly time: string;
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [field: string]: string | number | boolean | undefined;
}

export type Log = (record: LogRecord) => void;

/** Logs an event. Untrusted text is reduced to one line without invisible characters. */
export type Note = (
  level: LogRecord["level"],
  event: string,
  fields?: Omit<LogRecord, "time" | "level" | "event">,
) => void;

export function createNote(log: Log | undefined): Note {
  if (!log) return () => {};
  return (level, event, fields = {}) => {
    const plain = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? lineOf(value) : value,
    ]);
    log({ time: new Date().toISOString(), level, event, ...Object.fromEntries(plain) } as LogRecord);
  };
}

function lineOf(text: string): string {
  return plainText(text).replaceAll(/[\n\t]+/g, " ");
}

/** Anonymous peers choose their origins: beyond this many kinds in a minute, refusals are counted by code only. */
const maxKinds = 100;

/** A log whose repeated warnings are collapsed: the first of a kind at once, the others once a minute with their `count`. */
export function createRefusalLog(log: Log): { readonly log: Log; close(): void } {
  const { add, hasRoomFor, close } = collapseRepeats<LogRecord>((record, count) =>
    log(count === undefined ? record : { ...record, time: new Date().toISOString(), count }),
  );
  return {
    log(record) {
      const { level, event, code, route, origin } = record;
      if (level !== "warn" || code === undefined) return log(record);
      const exact = JSON.stringify([event, code, route, origin]);
      add(hasRoomFor(exact, maxKinds) ? exact : JSON.stringify([event, code]), record);
    },
    close,
  };
}
