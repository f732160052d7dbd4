// Follows the calls of the filters while the view is open.
import { batch, computed, effect, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Session } from "../../../common/src/session/session.ts";
import type { Hub } from "../hub/hub.ts";
import { CallList } from "./call-list.ts";
import { selects } from "./call-row.ts";
import type { CallRow } from "./call-row.ts";
import { queryOf } from "./filters.ts";
import type { Filters } from "./filters.ts";
import { createRunningCalls } from "./running-calls.ts";
import type { RunningCalls } from "./running-calls.ts";
import { bucketCount, summaryIn } from "./summary.ts";
import type { Summary } from "./summary.ts";

export interface Calls {
  readonly list: CallList;
  readonly running: RunningCalls;
  /** The running calls that the filters select, while the list has the newest. */
  readonly live: ReadonlySignal<readonly CallRow[]>;
  readonly summary: ReadonlySignal<Summary | undefined>;
  /** Whether new calls do not come in, because the user paused them or looks at earlier ones, and how many there are. */
  readonly tail: ReadonlySignal<Tail>;
  readonly isPaused: ReadonlySignal<boolean>;
  pause(isPaused: boolean): void;
  /** The list was scrolled: to its top, or away from it. */
  scrolled(isAway: boolean): void;
  /** Lets everything new in. `tops` increases with it: the newest rows are at the top. */
  toNewest(): void;
  readonly tops: ReadonlySignal<number>;
  close(): void;
}

export interface Tail {
  readonly isHeld: boolean;
  readonly news: number;
}

const none: readonly CallRow[] = [];

/** Milliseconds between two looks while calls happen, and while none does: a refused call has no events. */
const lookTime = 500;
const idleTime = 3000;
/** The hub reads up to ten thousand records for a summary: so much less often, and at most a tenth of the time. */
const summaryTime = 5000;

/** Calls again where the filters are other ones. */
export function useCalls(session: Pick<Session, "request">, hub: Hub, filters: Filters): Calls {
  const key = JSON.stringify(filters);
  // A call that began under other filters runs on.
  const running = useMemo(createRunningCalls, [hub]);
  const calls = useMemo(() => followCalls({ session, hub, filters, running }), [key]);
  useEffect(() => calls.close, [calls]);
  return calls;
}

interface Followed {
  readonly session: Pick<Session, "request">;
  readonly hub: Hub;
  readonly filters: Filters;
  readonly running: RunningCalls;
}

function followCalls({ session, hub, filters, running }: Followed): Calls {
  const ask = (path: string, parameters: Readonly<Record<string, string>>) => {
    const query = queryOf(filters, Date.now());
    for (const [name, value] of Object.entries(parameters)) query.set(name, value);
    return session.request("GET", `${path}?${query}`);
  };
  const list = new CallList({ read: (parameters) => ask("/api/calls", parameters) });
  const summary = signal<Summary | undefined>(undefined);
  const isPaused = signal(false);
  const isAway = signal(false);
  const tops = signal(0);
  const isHeld = computed(() => isPaused.value || isAway.value);
  const stopHolding = effect(() => list.hold(isHeld.value));
  let hasNews = true;
  let isBehind = true;
  let lookedAt = 0;
  let isSumming = false;
  let nextSum = 0;
  let newest: string | undefined;

  async function sum(): Promise<void> {
    if (isSumming) return;
    isSumming = true;
    isBehind = false;
    const began = Date.now();
    // If it fails, the list says why.
    const answer = await ask("/api/calls/summary", { buckets: String(bucketCount) }).catch(() => undefined);
    if (answer === undefined) isBehind = true;
    else summary.value = summaryIn(answer);
    isSumming = false;
    nextSum = Date.now() + Math.max(summaryTime, 9 * (Date.now() - began));
  }

  function look(): void {
    const now = Date.now();
    if (!isHeld.value) running.refresh(now);
    if (document.hidden || hub.connection.value.state === "away") return;
    if (isBehind && now >= nextSum) void sum();
    if (!hasNews && now - lookedAt < idleTime) return;
    hasNews = false;
    lookedAt = now;
    void list.follow();
  }

  const stopWatching = hub.onCall(
    (event) => {
      running.take(event);
      if (event.event !== "ended") return;
      hasNews = true;
      isBehind = true;
    },
    () => {
      hasNews = true;
      isBehind = true;
      if (!list.state.value.isRecorded) running.clear();
    },
  );
  const stopClearing = effect(() => {
    if (hub.connection.value.state !== "live") running.clear();
  });
  const stopRows = list.state.subscribe(({ rows, news, isLoading }) => {
    running.recorded(rows);
    // A refused call has no events: only its row says that it happened.
    if (news > 0 || (!isLoading && rows[0]?.id !== newest)) isBehind = true;
    newest = rows[0]?.id;
  });
  const timer = setInterval(look, lookTime);
  look();
  return {
    list,
    running,
    live: computed(() =>
      list.state.value.hasNewest ? running.rows.value.filter((row) => selects(filters, row)) : none,
    ),
    summary,
    tail: computed(() => ({ isHeld: isHeld.value, news: list.state.value.news })),
    isPaused,
    pause: (given) => void (isPaused.value = given),
    scrolled: (given) => void (isAway.value = given),
    toNewest() {
      batch(() => {
        isPaused.value = false;
        isAway.value = false;
        tops.value++;
      });
    },
    tops,
    close() {
      stopHolding();
      stopClearing();
      clearInterval(timer);
      stopWatching();
      stopRows();
      list.close();
    },
  };
}
