import type { Clock } from "../link/index.ts";
import type { CallEvent, Limits, OutcomeName } from "../wire/index.ts";
import { createCalls } from "./calls.ts";
import type { Calls } from "./calls.ts";
import { createChanges } from "./changes.ts";
import type { Changes } from "./changes.ts";
import { createDirectory } from "./directory.ts";
import type { Directory } from "./directory.ts";
import type { Caller } from "./model.ts";
import type { PrincipalBudget } from "./principal-budget.ts";
import { createRecall } from "./recall.ts";
import { routeCall } from "./route.ts";
import type { Returns } from "./returns.ts";
import { createUpdates } from "./updates.ts";
import type { Updates } from "./updates.ts";

/** Everything that belongs to one principal. Two principals share nothing but code. */
export interface Principal {
  readonly directory: Directory;
  readonly budget: PrincipalBudget;
  readonly calls: Calls;
  readonly changes: Changes;
  readonly agents: Set<Caller>;
  watch(listener: (event: CallEvent) => void): () => void;
  readonly updates: Updates;
  isIdle(): boolean;
  /** Calls off the end of an idle principal's time. */
  stopForgetting: () => void;
  close(): void;
}

interface PrincipalOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly budget: PrincipalBudget;
  readonly newId: () => string;
  readonly isoTime: (at: number) => string;
  readonly onEnded: (outcome: OutcomeName) => void;
  readonly returns: Returns;
}

export function createPrincipal(options: PrincipalOptions): Principal {
  const { clock, limits } = options;
  const directory = createDirectory(options.isoTime);
  const recall = createRecall(clock, limits);
  const watchers = new Set<(event: CallEvent) => void>();
  const agents = new Set<Caller>();
  const changes = createChanges(clock, limits, directory);
  const updates = createUpdates(clock, limits, directory);

  const principal: Principal = {
    directory,
    budget: options.budget,
    changes,
    agents,
    updates,
    calls: createCalls({
      ...options,
      recall,
      onChange: changes.subscribe,
      route: (request, caller) => routeCall(directory, request, caller),
      onEvent(event) {
        if (watchers.size === 0) return;
        const made = event();
        for (const watcher of watchers) watcher(made);
      },
    }),
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    isIdle: () => directory.tabs.size === 0 && agents.size === 0,
    stopForgetting: () => {},
    close() {
      principal.stopForgetting();
      principal.calls.close();
      recall.close();
      changes.close();
      updates.close();
    },
  };
  return principal;
}
