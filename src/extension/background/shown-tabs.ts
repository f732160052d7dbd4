// The popup's view of a tab, in storage.session.
import type { PageCallEvent } from "../../page/index.ts";
import { shownCallsMost, shownTab } from "../messages.ts";
import type { ShownCall, ShownTab } from "../messages.ts";
import type { Place } from "./grants.ts";
import type { Stored } from "./stored.ts";

export interface ShownTabs {
  /** A document offers its tools, or may. What an earlier document of another origin showed is forgotten. */
  begin(place: Place, lasts: ShownTab["lasts"]): void;
  /** How long the site that a tab shows now is allowed there: what was said before is over. */
  allowed(tab: number, place: Place | undefined, lasts: ShownTab["lasts"]): void;
  /** The tabs of which something is shown. */
  tabs(): Promise<readonly number[]>;
  update(place: Place, part: Partial<Pick<ShownTab, "state" | "tools" | "note">>): void;
  call(place: Place, event: PageCallEvent, stopped?: boolean): void;
  /** The document's port is gone: it offers nothing now, and how its calls ended is not known. */
  end(place: Place): void;
  remove(tab: number): void;
}

const unknown = "outcome-unknown";
const prefix = "tab:";
/** Changes are written together, in milliseconds: a write costs as much as a short call. */
const writeTime = 100;

type Update = (before: ShownTab | undefined) => ShownTab | undefined;

export function createShownTabs(session: Stored, now: () => number): ShownTabs {
  const waiting = new Map<number, Update[]>();

  function change(tab: number, update: Update): void {
    const updates = waiting.get(tab);
    if (updates) return void updates.push(update);
    waiting.set(tab, [update]);
    setTimeout(() => write(tab), writeTime);
  }

  function write(tab: number): void {
    const updates = waiting.get(tab) ?? [];
    waiting.delete(tab);
    session
      .change(shownTab(tab), (before) =>
        updates.reduce((shown, update) => update(shown), before as ShownTab | undefined),
      )
      .catch(console.error);
  }

  const changeShown = ({ tab, origin }: Place, update: (before: ShownTab) => ShownTab) =>
    change(tab, (before) => (before?.origin === origin ? update(before) : before));

  const empty = { state: undefined, tools: [], calls: [] };

  return {
    begin: ({ tab, origin }, lasts) =>
      change(tab, (before) => ({
        ...{ ...empty, origin, lasts },
        // The document tells of those that still run.
        calls: before?.origin === origin ? before.calls.map(asUnknown) : [],
      })),
    allowed: (tab, place, lasts) =>
      change(tab, (before) => {
        if (before && before.origin === place?.origin) return { ...before, lasts };
        // Of a site that is always allowed there is nothing to show before it has tools.
        if (place && lasts && lasts !== "always") return { ...empty, origin: place.origin, lasts };
        return before && { ...before, lasts: undefined };
      }),
    async tabs() {
      const names = (await session.names()).filter((name) => name.startsWith(prefix));
      return names.map((name) => Number(name.slice(prefix.length)));
    },
    update: (place, part) => changeShown(place, (before) => ({ ...before, ...part })),
    call(place, event, stopped) {
      const { id, name, agent, outcome, milliseconds } = event;
      if (event.event === "progress") return;
      const call: ShownCall = {
        ...{ id, tool: name, agent, startedAt: now() },
        ...(event.event === "ended" && { outcome, milliseconds, stopped }),
      };
      changeShown(place, (before) => ({ ...before, calls: withCall(before.calls, call) }));
    },
    end: (place) =>
      changeShown(place, (before) => ({
        ...before,
        ...{ state: undefined, tools: [], note: undefined },
        calls: before.calls.map(asUnknown),
      })),
    remove: (tab) => change(tab, () => undefined),
  };
}

/** A call that is not known to have ended. */
function asUnknown(call: ShownCall): ShownCall {
  return call.outcome === undefined ? { ...call, outcome: unknown } : call;
}

function withCall(calls: readonly ShownCall[], call: ShownCall): readonly ShownCall[] {
  const known = calls.find(({ id }) => id === call.id);
  if (!known) return [call, ...calls].slice(0, shownCallsMost);
  const { startedAt } = known;
  return calls.map((each) => (each === known ? { ...call, startedAt } : each));
}
