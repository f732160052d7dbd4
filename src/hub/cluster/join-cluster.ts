// Makes a hub one of several: loaded only by hubs that are. The bus is connected first, so that a hub which cannot
// reach it does not start; the hub joins once it has a switchboard.
import type { Server } from "node:http";
import { Server as SecureServer } from "node:https";
import { hostname } from "node:os";
import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import type { KeyLedger, PolicyGate, Returns, Switchboard } from "../../switchboard/index.ts";
import type { Limits, Outcome } from "../../wire/index.ts";
import { version } from "../common/version.ts";
import type { Note } from "../common/log.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Proxies } from "../guard/proxies.ts";
import type { ClusterOptions } from "../options/cluster-options.ts";
import type { Disconnections } from "../sockets/disconnected-tabs.ts";
import type { Bus } from "./bus.ts";
import { Cluster } from "./cluster.ts";
import { connectNats, hostsInClear } from "./nats-bus.ts";
import { RunningKeys } from "./running-keys.ts";
import { shareDisconnections } from "./share-disconnections.ts";
import { gateWithin, returnsWithin, unreachable } from "./unreachable.ts";

export interface Joining {
  gate(gate: PolicyGate): PolicyGate;
  /** A ledger that waits for the outcomes of calls that other hubs run. */
  ledger(ledger: KeyLedger): KeyLedger;
  returns(returns: Returns): Returns;
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
  readonly server: Server;
  readonly port: number;
  readonly clientOf: Proxies["clientOf"];
  readonly note: Note;
}

export interface Joined {
  readonly cluster: Cluster;
  readonly switchboard: Switchboard;
  readonly disconnected: Disconnections;
}

export async function openCluster(options: ClusterOptions): Promise<Joining> {
  const { nats, credentials } = options;
  return createJoining(await connectNats({ servers: nats, credentials: credentials?.() }), options);
}

function createJoining(bus: Bus, { nats, name = "default", hubName }: ClusterOptions): Joining {
  let cluster: Cluster | undefined;
  const keys = new RunningKeys(systemClock);
  const refusalUnless = (isWell: boolean | undefined): Outcome | undefined => (isWell ? undefined : unreachable);
  const know = (principal: string) => cluster?.know(principal);

  return {
    gate: (gate) => gateWithin(gate, () => refusalUnless(cluster?.isUp)),
    ledger: (ledger) => keys.around(ledger),
    returns: (returns) => returnsWithin(returns, () => refusalUnless(cluster?.isWhole)),
    credentials: (given) => knowing(given, know),
    join({ port, disconnected, server, ...parts }) {
      const startedAt = new Date().toISOString();
      const { switchboard, note } = parts;
      for (const host of hostsInClear(nats)) note("warn", "in-clear", { host });
      const own = { name: hubName ?? `${hostname()}:${port}`, version, startedAt };
      cluster = new Cluster({
        ...{ ...parts, bus, name },
        // What comes from another hub was TLS before, where TLS is on.
        accept: (socket) => server.emit(server instanceof SecureServer ? "secureConnection" : "connection", socket),
        about() {
          const { tabs, agents, callsInFlight } = around.counts();
          return { ...own, tabs, agents, callsInFlight };
        },
      });
      const around = cluster.around(switchboard);
      keys.join(cluster.others);
      cluster.start();
      return { cluster, switchboard: around, disconnected: shareDisconnections(disconnected, cluster) };
    },
    close: async () => (cluster ? cluster.close() : bus.close()),
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
    agent(token) {
      const found = credentials.agent(token);
      // Synchronous once it is known, as on a hub alone.
      if (found instanceof Promise || know(found.principal)) return after(found);
      return found;
    },
    owner: (token) => after(credentials.owner(token)),
    person: (token, origin) => after(credentials.person(token, origin)),
    terminal: (token) => after(credentials.terminal(token)),
  } as Given;
}
