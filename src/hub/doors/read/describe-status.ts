// The hub in figures, flat: those of the principal who asks, and in local mode those of the process.
import type { Limits } from "../../../wire/index.ts";
import type { Overview } from "../../../switchboard/index.ts";
import type { Browsers } from "../../guard/browsers.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { ResolvedOptions } from "../../options/options.ts";
import type { Terminals } from "../../terminals/terminals.ts";
import type { HubOfUser } from "./all-hubs.ts";
import type { HubFacts } from "../own/own-door.ts";

export interface StatusParts {
  readonly options: Pick<ResolvedOptions, "audit">;
  readonly limits: Limits;
  readonly startedAt: string;
  readonly about: HubFacts;
  /** Undefined for a principal that the switchboard does not know. */
  readonly overview: Overview | undefined;
  /** Undefined for a hub alone. */
  readonly hubs: readonly HubOfUser[] | undefined;
  readonly terminals: Pick<Terminals, "list">;
  readonly browsers: Pick<Browsers, "list">;
  readonly isStoreOk: boolean;
}

export async function describeStatus({ principal, allowed }: Admitted, parts: StatusParts): Promise<object> {
  const { options, limits, startedAt, about, overview, hubs, isStoreOk } = parts;
  const { version, mode, model, demo, terminals: hasTerminals } = about;
  const [terminals, browsers] = await Promise.all([
    countOf(parts.terminals.list(principal)),
    countOf(parts.browsers.list(principal)),
  ]);
  const used = {
    ...overview?.used,
    ...(terminals !== null && { terminalsPerPrincipal: terminals }),
    ...(browsers !== null && { browsersPerPrincipal: browsers }),
  };
  const max: Partial<Record<string, number>> = { ...limits, ...allowed };
  return {
    ...{ version, mode, principal, startedAt },
    provider: model?.provider ?? null,
    models: model?.models ?? [],
    isRehearsal: model?.isRehearsal ?? false,
    ...{ demo, hasTerminals, isStoreOk },
    isRecorded: options.audit !== "none",
    tabs: overview?.tabs ?? 0,
    agents: total(hubs?.map(({ agents }) => agents?.length)) ?? overview?.agents.length ?? 0,
    callsInFlight: total(hubs?.map((hub) => hub.callsInFlight)) ?? overview?.callsInFlight ?? 0,
    ...{ terminals, browsers },
    budgets: Object.entries(used).map(([name, amount]) => ({ name, used: amount, max: max[name] })),
    ...(mode === "local" && loadOfProcess()),
    hubs: hubs?.map(({ agents, ...hub }) => ({ ...hub, agents: agents?.length ?? null })),
  };
}

function total(figures: readonly (number | null | undefined)[] | undefined): number | undefined {
  return figures?.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** A hub whose store fails still has a status. */
function countOf(list: Promise<readonly unknown[]>): Promise<number | null> {
  return list.then(
    ({ length }) => length,
    () => null,
  );
}

function loadOfProcess(): object {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { rssBytes: rss, heapBytes: heapUsed, cpuSeconds: (user + system) / 1_000_000 };
}
