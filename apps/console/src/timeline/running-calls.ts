// The calls that run, and those that ended a moment ago and have no record yet.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { TimedCallEvent } from "../hub/hub.ts";
import { rowOfEvent } from "./call-row.ts";
import type { CallRow } from "./call-row.ts";

/** Of more only the newest are kept. */
const most = 200;
/** A call that ends sooner comes into the list with its record: two changes of one row could not be read. */
const leastTime = 300;
/** A record comes within this time, or there is none. */
const recordTime = 5000;

export interface RunningCalls {
  readonly rows: ReadonlySignal<readonly CallRow[]>;
  take(event: TimedCallEvent): void;
  /** Recorded calls are in the list. */
  recorded(rows: readonly CallRow[]): void;
  /** Makes the rows again: calls have become long, others have ended. */
  refresh(now: number): void;
  /** Forgets all: events were missed, and nothing would end the rows. */
  clear(): void;
}

interface Running {
  row: CallRow;
  endedAt: number | undefined;
}

export function createRunningCalls(): RunningCalls {
  const calls = new Map<string, Running>();
  const rows = signal<readonly CallRow[]>([]);

  return {
    rows,
    take(event) {
      const { id, at, event: what, outcome, milliseconds } = event;
      const known = calls.get(id);
      if (what === "ended") {
        if (!known) return;
        // A short one is left to its record.
        if (at - known.row.at < leastTime) return void calls.delete(id);
        known.endedAt = at;
        known.row = { ...known.row, outcome: outcome ?? "", milliseconds };
      } else if (!known) {
        calls.set(id, { row: rowOfEvent(event), endedAt: undefined });
        const [oldest] = calls.size > most ? calls.keys() : [];
        if (oldest !== undefined) calls.delete(oldest);
      }
    },
    recorded(list) {
      if (calls.size === 0) return;
      const known = new Set(list.map(({ call }) => call).filter((call) => call !== undefined && calls.delete(call)));
      if (known.size > 0) rows.value = rows.value.filter(({ id }) => !known.has(id));
    },
    refresh(now) {
      const shown: CallRow[] = [];
      for (const [id, { row, endedAt }] of calls) {
        if (endedAt !== undefined && now - endedAt > recordTime) calls.delete(id);
        else if (endedAt !== undefined || now - row.at >= leastTime) shown.push(row);
      }
      if (shown.length > 0 || rows.value.length > 0) rows.value = shown.toReversed();
    },
    clear() {
      calls.clear();
      rows.value = [];
    },
  };
}
