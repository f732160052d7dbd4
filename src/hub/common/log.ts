import { plainText } from "../../wire/index.ts";

/** One thing that happened. Records never hold a token, an argument or a result. */
export interface LogRecord {
  readonly time: string;
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [field: string]: string | number | boolean | undefined;
}

export type Log = (record: LogRecord) => void;

/** Adds the time and the level to what happened. Text of others is on one line, and hides nothing. */
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
