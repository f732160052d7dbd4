// Three hubs in processes of their own, their broker and database behind proxies, a load balancer, pages behind it, and callers
// of all hubs.
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaultProxy } from "pagewire/testing";
import type { FaultProxy } from "pagewire/testing";
import { startHub } from "../../e2e/support/hub-process.ts";
import { freePort } from "../../support/free-port.ts";
import type { HubProcess } from "../../e2e/support/hub-process.ts";
import { waitUntil } from "../../e2e/support/wait.ts";
import { startNats } from "../../support/start-nats.ts";
import type { NatsServer } from "../../support/start-nats.ts";
import { startPostgres } from "../../support/start-postgres.ts";
import type { PostgresServer } from "../../support/start-postgres.ts";
import { startBalancer } from "./balance.ts";
import { openNodePage } from "./node-page.ts";
import type { NodePage } from "./node-page.ts";

export interface HubsWorld {
  readonly hubs: readonly HubProcess[];
  readonly nats: NatsServer;
  /** The way of each hub to the broker. */
  readonly brokerWays: readonly FaultProxy[];
  readonly database: SharedDatabase;
  readonly pages: readonly NodePage[];
  /** The address of the load balancer. */
  readonly url: string;
  readonly token: string;
  /** How often each tag ran. */
  readonly runs: ReadonlyMap<string, number>;
  /** Resolves once every page is connected, and listed as that by each of these hubs; returns the milliseconds since `since`. */
  back(hubs: readonly HubProcess[], since: number): Promise<number>;
  close(): Promise<void>;
}

export interface SharedDatabase {
  readonly server: PostgresServer;
  /** Has a standby take over from the server, which dies. */
  failOver(): Promise<void>;
}

const origin = "https://shop.example";

export async function openHubsWorld(pageCount: number): Promise<HubsWorld> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
    closing.push(nats.close, postgres.close);
    const database = await shareDatabase(postgres);
    closing.push(database.close);
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const balancer = await startBalancer(ports, { checks: 1000 });
    closing.push(balancer.close);
    const target = { host: "127.0.0.1", port: nats.port };
    const brokerWays = await Promise.all(ports.map(() => createFaultProxy({ target })));
    for (const way of brokerWays) closing.push(way.close);
    const shared = ["--public-host", `127.0.0.1:${balancer.port}`, "--database", database.address];
    const argsOf = (number: number) => {
      const broker = `nats://127.0.0.1:${brokerWays[number]?.port}`;
      return ["--no-demo", "--no-model", "--allow-origin", origin, ...shared, "--nats", broker];
    };
    const first = await startHub({ args: argsOf(0), port: ports[0] });
    closing.push(() => end(first));
    const others = await Promise.all(
      ports.slice(1).map(async (port, at) => {
        const home = await mkdtemp(join(tmpdir(), "pagewire-home-"));
        closing.push(() => rm(home, { recursive: true, force: true }));
        // Agents have one token for all hubs.
        await copyFile(join(first.home, "token"), join(home, "token"));
        const hub = await startHub({ args: argsOf(at + 1), home, port });
        closing.push(() => end(hub));
        return hub;
      }),
    );
    const hubs = [first, ...others];
    const runs = new Map<string, number>();
    const onRun = (tag: string) => void runs.set(tag, (runs.get(tag) ?? 0) + 1);
    const url = `http://127.0.0.1:${balancer.port}`;
    const sockets = url.replace("http", "ws");
    const pages = Array.from({ length: pageCount }, (_, at) =>
      openNodePage({ tab: `tab-${at}`, url: sockets, origin, onRun }),
    );
    closing.push(async () => pages.forEach((page) => page.close()));
    const token = await first.token();

    async function back(some: readonly HubProcess[], since: number): Promise<number> {
      const missing = async () => {
        const lists = await Promise.all(some.map((hub) => connectedTabs(hub, token)));
        return pages.filter(({ isConnected, tabId = "" }) => !isConnected || lists.some((list) => !list.has(tabId)));
      };
      await waitUntil(
        async () => (await missing()).length === 0,
        () => "Not all pages are back.",
      );
      return Math.round(performance.now() - since);
    }

    await back(hubs, 0);
    return { hubs, nats, brokerWays, database, pages, url, token, runs, back, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One database, at an address that stays the same when another server takes over. */
async function shareDatabase(server: PostgresServer) {
  const address = new URL(await server.newDatabase());
  const target = { host: "127.0.0.1", port: server.port };
  const way = await createFaultProxy({ target });
  address.port = `${way.port}`;
  return {
    ...{ server, address: address.href, close: way.close },
    async failOver() {
      const standby = await server.startStandby();
      await server.stop("SIGKILL");
      await standby.promote();
      target.port = standby.port;
      way.reset();
    },
  };
}

/** Nothing is left to be handed over. */
async function end(hub: HubProcess): Promise<void> {
  await hub.kill();
  await hub.close();
}

async function connectedTabs({ url }: HubProcess, token: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${url}/api/tabs${query}`, { headers: { Authorization: `Bearer ${token}` } });
    const { tabs, nextCursor } = (await response.json()) as {
      tabs: { tabId: string; state: string }[];
      nextCursor: string | null;
    };
    for (const { tabId, state } of tabs) if (state === "connected") found.add(tabId);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
