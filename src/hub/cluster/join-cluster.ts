// Makes a hub one of several: loaded only by hubs that are. The bus is connected first, so that a hub which cannot
// reach it does not start; the hub joins once it has a switchboard.
import type { Server } from "node:http";
import { Server as SecureServer } from "node:https";
import { hostname } from "node:os";
import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import type { KeyLedger, PolicyGate, Returns, ShareCalls, Switchboard } from "../../switchboard/index.ts";
import type { Limits, OnOver, Outcome } from "../../wire/index.ts";
import type { SharedUse } from "../common/shared-use.ts";
import { version } from "../common/version.ts";
import type { Note } from "../common/log.ts";
import type { AppSessions } from "../guard/app-sessions.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Proxies } from "../guard/proxies.ts";
import type { ClusterOptions } from "../options/cluster-options.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Disconnections } from "../sockets/disconnected-tabs.ts";
import type { Later, Store } from "../store/index.ts";
import type { PageWaits } from "../waits/page-waits.ts";
import type { Waits } from "../waits/wait.ts";
import type { Bus } from "./bus.ts";
import { Cluster } from "./cluster.ts";
import { compareDatabases } from "./compare-databases.ts";
import { Homes, ownChanges } from "./homes.ts";
import { HubsUse } from "./hubs-use.ts";
import { connectNats, hostsInClear } from "./nats-bus.ts";
import { RunningKeys } from "./running-keys.ts";
import { createOwnSettings } from "./own-settings.ts";
import { shareDisconnections } from "./share-disconnections.ts";
import { shareEvents } from "./share-events.ts";
import { shareRecords } from "./share-records.ts";
import type { SharedRecords } from "./share-records.ts";
import { withShared } from "./share-settings.ts";
import { SharedSettings } from "./shared-settings.ts";
import { createSharedCalls } from "./shared-calls.ts";
import { shareSignIns } from "./share-sign-ins.ts";
import { sharePageWaits, shareWaits } from "./share-waits.ts";
import { gateWithin, returnsWithin, unreachable } from "./unreachable.ts";

export interface Joining {
  readonly use: SharedUse;
  /** Counts principals' calls at all hubs. */
  readonly calls: ShareCalls;
  gate(gate: PolicyGate): PolicyGate;
  /** A ledger that waits for the outcomes of calls that other hubs run. */
  ledger(ledger: KeyLedger): KeyLedger;
  returns(returns: Returns): Returns;
  /** The hub's options, with what all hubs share of them. */
  readonly options: ResolvedOptions;
  /** The store, whose records other hubs change, too. */
  store(store: Store, later: Later): Store;
  /** Credentials that are accepted once the tabs of their principal are known. */
  credentials<Given extends Credentials>(credentials: Given): Given;
  join(parts: JoinParts): Joined;
  /** Leaves the cluster and the bus. */
  close(): Promise<void>;
}

export interface JoinParts {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly switchboard: Switchboard;
  readonly disconnected: Disconnections;
  readonly waits: Waits;
  readonly pages: PageWaits;
  readonly appSessions: AppSessions;
  readonly server: Server;
  readonly port: number;
  readonly clientOf: Proxies["clientOf"];
  readonly isOwn: (origin: string) => boolean;
  readonly note: Note;
  readonly onOver: OnOver;
}

export interface Joined {
  readonly cluster: Cluster;
  readonly homes: Homes | undefined;
  readonly switchboard: Switchboard;
  readonly disconnected: Disconnections;
  readonly waits: Waits;
  readonly pages: PageWaits;
}

export async function openCluster(cluster: ClusterOptions, own: ResolvedOptions, note: Note): Promise<Joining> {
  const { nats, credentials } = cluster;
  const bus = await connectNats({ servers: nats, credentials: credentials?.() });
  return createJoining(bus, cluster, { own, note });
}

function createJoining(
  bus: Bus,
  { nats, name = "default", hubName }: ClusterOptions,
  { own: options, note }: { readonly own: ResolvedOptions; readonly note: Note },
): Joining {
  let cluster: Cluster | undefined;
  const keys = new RunningKeys(systemClock);
  const use = new HubsUse({ clock: systemClock, limits: options.limits });
  let records: SharedRecords | undefined;
  const settings = new SharedSettings({
    ...{ own: createOwnSettings(options), clock: systemClock, now: Date.now, note },
    isUp: () => cluster?.isUp ?? false,
  });
  let homes: Homes | undefined;
  const refusalUnless = (isWell: boolean | undefined): Outcome | undefined => (isWell ? undefined : unreachable);
  const know = (principal: string) => cluster?.know(principal);

  return {
    use,
    calls: createSharedCalls(use, systemClock.now),
    gate: (gate) => gateWithin(gate, (hub, principal) => (cluster ? cluster.refusal(hub, principal) : unreachable)),
    ledger: (ledger) => keys.around(ledger),
    returns: (returns) => returnsWithin(returns, () => refusalUnless(cluster?.isWhole)),
    options: withShared(options, settings),
    store(store, later) {
      records = shareRecords(store);
      settings.use(records.store, later);
      return ownChanges(records.store, () => cluster?.id);
    },
    credentials: (given) => knowing(given, know),
    join({ port, disconnected, waits, pages, appSessions, server, ...parts }) {
      const startedAt = new Date().toISOString();
      const { switchboard, clock, limits } = parts;
      for (const host of hostsInClear(nats)) note("warn", "in-clear", { host });
      const about = { name: hubName ?? `${hostname()}:${port}`, version, startedAt };
      cluster = new Cluster({
        ...{ ...parts, bus, name, use },
        // A connection from another hub was TLS before, where TLS is on.
        accept: (socket) => server.emit(server instanceof SecureServer ? "secureConnection" : "connection", socket),
        about() {
          const { tabs, agents, callsInFlight } = around.counts();
          return { ...about, tabs, agents, callsInFlight };
        },
      });
      const around = cluster.around(switchboard);
      keys.join(cluster.others);
      records?.join(cluster);
      if (records) compareDatabases({ homes: records.store.homes, cluster, note });
      shareSignIns(appSessions, cluster);
      const shared = { waits: shareWaits(waits, cluster), pages: sharePageWaits(pages, cluster) };
      cluster.start();
      homes = records && new Homes({ store: records.store.homes, cluster, clock });
      const all = { ...shared, homes, disconnected: shareDisconnections(disconnected, cluster) };
      return { ...all, cluster, switchboard: shareEvents(around, { cluster, own: switchboard, clock, limits }) };
    },
    async close() {
      homes?.close();
      settings.close();
      await (cluster ?? bus).close();
    },
  };
}

/** An agent's first request waits until the tabs of its principal are known: its list of tools would lack them. */
function knowing<Given extends Credentials>(
  credentials: Given,
  know: (principal: string) => Promise<void> | undefined,
): Given {
  const after = async (found: ReturnType<Credentials["agent"]>) => {
    const admitted = await found;
    await know(admitted.principal);
    return admitted;
  };
  return {
    ...credentials,
    agent(token, request) {
      const found = credentials.agent(token, request);
      // Synchronous once it is known, as on a hub alone.
      if (found instanceof Promise || know(found.principal)) return after(found);
      return found;
    },
    owner: (token, request) => after(credentials.owner(token, request)),
    person: (...given) => after(credentials.person(...given)),
    terminal: (token) => after(credentials.terminal(token)),
  } as Given;
}
