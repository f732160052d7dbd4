import { plainText } from "../../wire/index.ts";
import { collapseRepeats } from "./collapse-repeats.ts";

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

/** Anonymous peers choose their origins: beyond this many kinds in a minute, refusals are told apart only by their code. */
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
