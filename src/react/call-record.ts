import type { Page, PageCallEvent } from "../page/index.ts";

/** A call that an agent made in this page, as of its latest event. */
export type PageCall = Omit<PageCallEvent, "event">;

/** The running and finished calls of this page. */
export interface PageCalls {
  /** In order of their start, with their arguments. */
  readonly running: readonly PageCall[];
  /** The last 50, the newest first, with how they ended; without their arguments, which may be large. */
  readonly ended: readonly PageCall[];
}

export interface CallRecord {
  read(): PageCalls;
  subscribe(listener: () => void): () => void;
  /** Writes down the calls of a page from now on; the returned function stops that and forgets them. */
  follow(page: Pick<Page, "onCall">): () => void;
}

export const noCalls: PageCalls = { running: [], ended: [] };

const maxEnded = 50;

export function createCallRecord(): CallRecord {
  const listeners = new Set<() => void>();
  let calls = noCalls;

  function become(next: PageCalls): void {
    calls = next;
    for (const listener of listeners) listener();
  }

  return {
    read: () => calls,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow(page) {
      const stop = page.onCall((event) => become(callsAfter(calls, event)));
      return () => {
        stop();
        become(noCalls);
      };
    },
  };
}

function callsAfter({ running, ended }: PageCalls, { event, ...changed }: PageCallEvent): PageCalls {
  const isChanged = ({ id }: PageCall) => id === changed.id;
  const isOther = (call: PageCall) => !isChanged(call);
  if (event === "started") return { running: [...running.filter(isOther), changed], ended };
  if (event === "progress")
    return { running: running.map((call) => (isChanged(call) ? { ...call, ...changed } : call)), ended };
  return { running: running.filter(isOther), ended: [changed, ...ended.filter(isOther)].slice(0, maxEnded) };
}
