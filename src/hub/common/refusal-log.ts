import type { Log, LogRecord } from "./log.ts";

export interface RefusalLog {
  readonly log: Log;
  /** Says at once what was counted by now. */
  close(): void;
}

interface Counted {
  readonly count: number;
  readonly last: LogRecord;
}

const minute = 60_000;

/** Strangers choose origins: of so many kinds each is told apart in a minute, and beyond that only by its code. */
const mostKinds = 100;

/**
 * Tells of the first refusal of a kind at once, and of those that follow within a minute by the last of them, with their
 * `count`. However many strangers try however often, that makes some records a minute.
 */
export function createRefusalLog(log: Log): RefusalLog {
  const kinds = new Map<string, Counted>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tellAll(): void {
    clearTimeout(timer);
    timer = undefined;
    const time = new Date().toISOString();
    for (const { count, last } of kinds.values()) if (count > 0) log({ ...last, time, count });
    kinds.clear();
  }

  return {
    log(record) {
      const { level, event, code, route, origin } = record;
      if (level !== "warn" || code === undefined) return log(record);
      const exact = JSON.stringify([event, code, route, origin]);
      const kind = kinds.has(exact) || kinds.size < mostKinds ? exact : JSON.stringify([event, code]);
      const known = kinds.get(kind);
      if (known === undefined) log(record);
      kinds.set(kind, { count: known === undefined ? 0 : known.count + 1, last: record });
      timer ??= setTimeout(tellAll, minute).unref();
    },
    close: tellAll,
  };
}
