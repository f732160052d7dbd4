import type { CallEvent, SwitchboardLimits, OutcomeName, OnOver } from "../wire/index.ts";
import { createBegin } from "./begin-calls.ts";
import type { CallClock } from "./begin-calls.ts";
import type { CallEnds } from "./call-ends.ts";
import { CallTable } from "./call-table.ts";
import { createCallBudget } from "./call-budget.ts";
import type { CallBudget, ShareCalls } from "./call-budget.ts";
import type { Asked, CallHandle } from "./types.ts";
import { createChanges } from "./changes.ts";
import type { Changes } from "./changes.ts";
import { createDirectory } from "./directory.ts";
import type { Directory, DirectoryOptions } from "./directory.ts";
import { createDuplicates } from "./duplicates.ts";
import type { Updates } from "./exposed-resources.ts";
import type { KeptBytes } from "./kept-bytes.ts";
import type { ConnectedAgent } from "./overview.ts";
import type { PrincipalBudget } from "./principal-budget.ts";
import type { OtherOffers } from "./other-offers.ts";
import type { PolicyGate } from "./policy-gate.ts";
import { createRoute } from "./route.ts";
import type { Returns } from "./returns.ts";
import type { WrittenKeys } from "./written-keys.ts";

/** All state of one principal. Principals share only code. */
export interface Principal {
  readonly directory: Directory;
  readonly budget: PrincipalBudget;
  readonly calls: CallTable;
  readonly callBudget: CallBudget;
  readonly begin: (asked: Asked) => CallHandle;
  readonly changes: Changes;
  readonly agents: Set<ConnectedAgent>;
  watch(listener: (event: CallEvent) => void): () => void;
  readonly updates: Updates;
  isIdle(): boolean;
  /** Cancels the timer that forgets an idle principal. */
  stopForgetting: () => void;
  close(): void;
}

interface PrincipalOptions extends Omit<DirectoryOptions, "exposeResources"> {
  readonly name: string;
  readonly clock: CallClock;
  readonly limits: SwitchboardLimits;
  readonly budget: PrincipalBudget;
  readonly kept?: KeptBytes;
  readonly newId: () => string;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
  readonly returns: Returns;
  readonly keys?: WrittenKeys | undefined;
  readonly others: OtherOffers;
  readonly ends: CallEnds;
  readonly onOver?: OnOver;
  readonly gate?: PolicyGate;
  readonly share?: ShareCalls | undefined;
}

export function createPrincipal(options: PrincipalOptions): Principal {
  const { clock, limits, ends, newId, outcomes, returns, others, gate } = options;
  const directory = createDirectory({ ...options, exposeResources: others.expose });
  const duplicates = createDuplicates(options);
  const watchers = new Set<(event: CallEvent) => void>();
  const agents = new Set<ConnectedAgent>();
  const changes = createChanges(clock, limits, directory);
  const updates = others.createUpdates(clock, limits, directory);
  const parts = options.parts?.create(options);
  const route = createRoute({ directory, otherRoutes: others.routes, parts, gate });
  const first = parts?.first;
  const { tabs } = directory;
  const keys = options.keys?.({ ...options, principal: options.name });
  const callBudget = createCallBudget(options);
  const shared = { clock, limits, route, duplicates, budget: callBudget, keys, outcomes, ends, gate };
  const calls = new CallTable({ ...shared, newId, tabs, first, watchers });
  const begin = createBegin({ ...shared, table: calls, returns, onChange: changes.subscribe });

  const principal: Principal = {
    directory,
    budget: options.budget,
    calls,
    callBudget,
    begin,
    changes,
    agents,
    updates,
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    isIdle: () => directory.tabs.size === 0 && agents.size === 0,
    stopForgetting: () => {},
    close() {
      principal.stopForgetting();
      keys?.close();
      calls.close();
      duplicates.close();
      changes.close();
      updates.close();
      parts?.close();
    },
  };
  return principal;
}
