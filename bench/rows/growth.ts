import { setTimeout as pause } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { startNats } from "../../test/support/start-nats.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleProcess } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { settledMemory } from "../harness/settled-memory.ts";
import { round } from "../harness/statistics.ts";

const row = "growth";
const hubCount = 3;
const toolCount = 10;
/** So many pages in one process. */
const perProcess = 5000;

const about = `Three hubs over one NATS server, and idle tabs of one user with ten tools each, the same number at each hub. Memory is what the first
hub's process grew by, the least of several readings after garbage collections: by tabs of its own; by as many at each other hub, while
it has no agent of their user; and by those when an agent comes to it. Traffic is what a listener to all subjects of the cluster
gets, so that a message counts once, whatever the number of hubs that it goes to. docs/reference/scale.md says what follows from it.`;

/** The cost of a cluster as tabs and hubs grow. */
export const growth: RowFamily = {
  row,
  title: "Growth of several hubs",
  about,
  async measure({ quick }: Bench) {
    const tabs = quick ? 50 : 10_000;
    const running = createClosingList();
    try {
      const found = await grow(tabs, { quick, running });
      const size = `${(tabs * hubCount).toLocaleString("en")} tabs`;
      return Object.entries(found).map(([metric, value]): Row => {
        const own = { row, size, metric, pagewire: round(value) };
        return { ...own, floor: null, peers: {}, ratio: null, bar: null, met: null };
      });
    } finally {
      await running.close();
    }
  },
};

interface Growing {
  readonly quick: boolean;
  readonly running: ClosingList;
}

async function grow(tabs: number, { quick, running }: Growing): Promise<Readonly<Record<string, number>>> {
  const nats = running.add(await startNats()).url;
  const traffic = await listen(nats, running);
  const start = async () => running.add(await startRole("pagewire", { agentToken, nats }));
  const [first, ...others] = [await start(), await start(), await start()] as const;
  const open = (hub: RoleProcess, count: number) => openTabs(hub, count, running);
  const memory = () => settledMemory(first, quick);

  // A process that has worked before holds the code and the young heap that working needs.
  await open(first, quick ? 5 : 200);
  const empty = await memory();
  await open(first, tabs);
  const withOwn = await memory();
  await Promise.all(others.map((hub) => open(hub, tabs)));
  const unseen = await memory();
  const idle = await traffic.during(quick ? 1000 : 10_000);

  const elsewhere = tabs * others.length;
  const before = traffic.soFar();
  const startedAt = performance.now();
  await askForTabs(first);
  await untilKnown(first, elsewhere);
  const took = performance.now() - startedAt;
  const after = traffic.soFar();
  const seen = await memory();
  return {
    "hub heap, bytes/tab of its own": (withOwn.heapBytes - empty.heapBytes) / tabs,
    "hub RSS, bytes/tab of its own": (withOwn.rssBytes - empty.rssBytes) / tabs,
    "hub heap, bytes/tab elsewhere, no agent here": (unseen.heapBytes - withOwn.heapBytes) / elsewhere,
    "hub heap, bytes/tab elsewhere, with an agent here": (seen.heapBytes - unseen.heapBytes) / elsewhere,
    "bus messages/s, idle": idle.messages,
    "bus bytes/s, idle": idle.bytes,
    "bus bytes/tab elsewhere, when an agent comes": (after.bytes - before.bytes) / elsewhere,
    "ms until the agent's hub has all tabs": took,
  };
}

async function openTabs(hub: RoleProcess, count: number, running: ClosingList): Promise<void> {
  const { port } = hub.started;
  for (let left = count; left > 0; left -= perProcess)
    running.add(await startRole("pages", { port, speaker: "wire", count: Math.min(left, perProcess), toolCount }));
}

const headers = { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" };

/** Its agent's first request. */
async function askForTabs({ started: { port } }: RoleProcess): Promise<void> {
  const path = "/api/call/list_browser_tabs";
  await (await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: "{}" })).arrayBuffer();
}

/** Until a hub has this number of tabs of others. */
async function untilKnown({ started: { port } }: RoleProcess, count: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
    if (Number(/^pagewire_remote_tabs (\d+)$/m.exec(text)?.[1]) >= count) return;
    await pause(50);
  }
}

interface Traffic {
  readonly messages: number;
  readonly bytes: number;
}

async function listen(nats: string, running: ClosingList) {
  const connection = await connect({ servers: nats });
  running.add({ close: () => connection.close() });
  let [messages, bytes] = [0, 0];
  connection.subscribe("pagewire.>", {
    callback: (_, { data }) => {
      messages++;
      bytes += data.length;
    },
  });
  const soFar = (): Traffic => ({ messages, bytes });
  return {
    soFar,
    /** Per second. */
    async during(milliseconds: number): Promise<Traffic> {
      const before = soFar();
      await pause(milliseconds);
      const seconds = milliseconds / 1000;
      return { messages: (messages - before.messages) / seconds, bytes: (bytes - before.bytes) / seconds };
    },
  };
}
