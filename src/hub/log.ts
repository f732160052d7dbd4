/** One thing that happened. Records never hold a token, an argument or a result. */
export interface LogRecord {
  readonly time: string;
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [field: string]: string | number | boolean | undefined;
}

export type Log = (record: LogRecord) => void;

/** Adds the time and the level to what happened. */
export type Note = (
  level: LogRecord["level"],
  event: string,
  fields?: Omit<LogRecord, "time" | "level" | "event">,
) => void;

export function createNote(log: Log | undefined): Note {
  if (!log) return () => {};
  return (level, event, fields = {}) => log({ time: new Date().toISOString(), level, event, ...fields } as LogRecord);
}
