import { readFileSync } from "node:fs";
import type { WebSocket } from "ws";
import { openAgent, openPage, sendCall, sendOffer, settled, smallOffer } from "../floods/peers.ts";
import type { Target } from "../floods/peers.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { startRole } from "../harness/role-process.ts";
import type { FloodName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { median, round } from "../harness/statistics.ts";

const row = "floods";
const secret = "the-secret-of-a-bench-that-nobody-else-has";
const mostBytes = 64 * 1024 * 1024;
const mostTime = 1000;

const about = `A hub in jwt mode with its default limits, and one user of it, or a stranger, who does too much. Memory is what
the hub's process takes at most (RSS, looked at 50 times a second) beyond the most that it took before, while it served as
many calls of 1 MB at once to agents that read: what nobody uses any more stays for a while in either case. From cold it is
beyond what a hub takes that has served nobody but the first page and agent. Meanwhile a page and an agent of another user
connect, one after the other and again and again; the time is that of the slowest, until the hub has welcomed both. There is
no floor.

- **offers**: tabs of one user offer 15 MB each, all at once. Each offer is legal by itself.
- **readers**: agents of one user call 50 times each for a result of 1 MB, and read nothing.
- **strangers**: so many sockets a second that say nothing after their upgrade, from one address, for ten seconds.`;

interface Flood {
  readonly flood: FloodName;
  readonly count: number;
  readonly size: string;
  readonly isCold?: boolean;
}

const cases: readonly Flood[] = [
  { flood: "offers", count: 90, size: "90 tabs × 15 MB" },
  { flood: "readers", count: 20, size: "20 readers" },
  { flood: "readers", count: 100, size: "100 readers" },
  { flood: "strangers", count: 43, size: "43 strangers/s" },
];

/** The effect of one user or anonymous peer on a hub and all its other users. */
export const floods: RowFamily = {
  row,
  title: "Floods",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const one of bench.quick ? cases.slice(0, 1) : cases) {
      const [warm, cold]: [FloodFigures[], FloodFigures[]] = [[], []];
      for (let turn = 0; turn < (bench.quick ? 1 : 3); turn++) {
        warm.push(await measureFlood(one, bench));
        // Strangers bring nothing that a hub could be warm for.
        if (one.flood !== "strangers") cold.push(await measureFlood({ ...one, isCold: true }, bench));
      }
      const rowOf = (metric: string, found: readonly number[], bar: number): Row => {
        const pagewire = round(median(found));
        const nothing = { floor: null, peers: {}, ratio: null };
        return { row, size: one.size, metric, pagewire, ...nothing, rounds: found.length, bar, met: pagewire <= bar };
      };
      const bytesOf = (turns: readonly FloodFigures[]) => turns.map(({ bytes }) => bytes);
      rows.push(rowOf("hub RSS growth, bytes", bytesOf(warm), mostBytes));
      if (cold.length > 0) rows.push(rowOf("hub RSS growth from cold, bytes", bytesOf(cold), mostBytes));
      const times = [...warm, ...cold].map(({ time }) => time);
      rows.push(rowOf("ms until a bystander is in", times, mostTime));
    }
    return rows;
  },
};

interface FloodFigures {
  readonly bytes: number;
  readonly time: number;
}

async function measureFlood({ flood, count, isCold }: Flood, { quick }: Bench): Promise<FloodFigures> {
  const running = createClosingList();
  try {
    const hub = running.add(await startRole("pagewire", { secret }));
    const target = { port: hub.started.port, secret };
    let most = 0;
    const look = () => (most = Math.max(most, rssOf(hub.pid)));
    const looking = setInterval(look, 20);
    if (isCold) await bystand(target);
    else await serveHonestly(target, quick ? 2 : 100);
    const before = look();
    const flooder = running.add(await startRole("flooder", { ...target, flood, count: quick ? 2 : count }));
    let isOver = false;
    const flooded = flooder.work().then(() => (isOver = true));
    let time = 0;
    while (!isOver) time = Math.max(time, await bystand(target));
    await flooded;
    clearInterval(looking);
    return { bytes: most - before, time };
  } finally {
    await running.close();
  }
}

const honestRounds = 5;

/** Agents that call for 1 MB at once, a few times, and read it. */
async function serveHonestly(target: Target, count: number): Promise<void> {
  const page = await openPage(target, "bob");
  sendOffer(page, smallOffer);
  await settled(page);
  const agents = await Promise.all(Array.from({ length: count }, () => openAgent(target, "bob")));
  for (let round = 0; round < honestRounds; round++) {
    const answered = agents.map((agent) => nextLarge(agent));
    for (const agent of agents) sendCall(agent, `${round}`);
    await Promise.all(answered);
  }
  for (const peer of [page, ...agents]) peer.terminate();
}

function nextLarge(agent: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error("An agent that reads was cut off."));
    const onMessage = (frame: Buffer) => {
      if (frame.length < 1_000_000) return;
      agent.off("message", onMessage).off("close", onClose);
      resolve();
    };
    agent.on("message", onMessage).on("close", onClose);
  });
}

/** How long it takes until a page and an agent are in who have done nothing wrong. */
async function bystand(target: Target): Promise<number> {
  const startedAt = performance.now();
  const page = await openPage(target, "ada");
  sendOffer(page, smallOffer);
  await settled(page);
  const agent = await openAgent(target, "ada");
  const time = performance.now() - startedAt;
  if (page.readyState !== page.OPEN || agent.readyState !== agent.OPEN) throw new Error("A bystander was refused.");
  page.terminate();
  agent.terminate();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return time;
}

function rssOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
