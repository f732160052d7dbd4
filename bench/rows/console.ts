import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openStore } from "pagewire/hub";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { debugPage } from "../harness/debugged-page.ts";
import type { DebuggedPage } from "../harness/debugged-page.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Row, RowFamily } from "../harness/row.ts";
import { round } from "../harness/statistics.ts";
import { readTimeline } from "../pages/read-timeline.ts";
import type { FrameFigures } from "../pages/read-timeline.ts";

const row = "console";
const recorded = 10_000;
const perSecond = 200;
const toolCount = 10;
const beat = 50;
const megabyte = 1024 * 1024;
/** Frames in this time do not count: the page compiles its code. */
const warming = 10_000;
const bars: Readonly<Record<string, number>> = { "longest frame ms": 50, "heap growth MB": 2 };

const about = `The console's timeline in a headless Chromium, which draws without a graphics card, over a hub with 10,000 calls in
its audit (SQLite) while 200 calls a second arrive. A script in the page does for ten minutes what a person does: it scrolls many
hundred rows down and up, looks on, searches letter by letter, and filters. A frame is the time from one to the next. A task is work of the page's main thread without a
pause; one of more than 50 ms drops frames. Its CPU is what the page did, by the browser's own trace; its time by the clock is also
what the hub, the callers and the browser's drawing took of the machine's cores meanwhile. The heap is the page's after a garbage
collection; its growth is from ten seconds after the beginning to the end.`;

/** How the timeline stands many calls. */
export const consoleTimeline: RowFamily = {
  row,
  title: "The console's timeline under 200 calls a second",
  about,
  async measure({ quick, chromium }) {
    const running = createClosingList();
    const folder = mkdtempSync(join(tmpdir(), "pagewire-bench-"));
    running.add({ close: () => rmSync(folder, { recursive: true, force: true }) });
    try {
      const database = join(folder, "pagewire.db");
      await fill(database);
      const hub = running.add(await startRole("pagewire", { agentToken, database }));
      const { port } = hub.started;
      running.add(await startRole("pages", { port, speaker: "wire", count: 4, toolCount }));
      const url = `http://127.0.0.1:${port}`;
      const browser = running.add(await openChromium(chromium, await signInLink(url), { isDebuggable: true }));
      const page = running.add(await whenOpen(await browser.address(), url));
      await page.evaluate('location.hash = "#/calls"');
      await until(() => page.read<boolean>('document.querySelector(".timeline .table-row") !== null'));
      const calls = running.add(startCalls(url));
      const first = await readFor(page, warming);
      const before = await page.heap();
      const end = await page.recordTasks();
      const figures = await readFor(page, quick ? warming : 600_000);
      const longestWork = Math.max(0, ...(await end()));
      const after = await page.heap();
      const heap = { growth: (after - before) / megabyte, heap: after / megabyte };
      return rowsOf({ ...figures, ...heap, longestWork, made: calls.rate(), first });
    } finally {
      await running.close();
    }
  },
};

/** Writes calls of the last day into a new database. */
async function fill(database: string): Promise<void> {
  const store = await openStore({ database });
  const now = Date.now();
  const records = Array.from({ length: recorded }, (_, n) => {
    const isFailure = n % 40 === 0;
    return {
      at: new Date(now - (recorded - n) * 8640).toISOString(),
      kind: "call" as const,
      principal: "local",
      agent: `agent-${n % 7}`,
      agentVersion: "1.0.0",
      door: "mcp",
      tab: `tab-${n % 30}`,
      origin: "https://shop.example",
      app: "shop",
      name: `answer_${n % 25}`,
      argumentsDigest: "a".repeat(64),
      argumentsBytes: 120,
      resultDigest: "b".repeat(64),
      resultBytes: 900,
      outcome: isFailure ? "tool-error" : "ok",
      code: isFailure ? "handler-failed" : undefined,
      ran: "yes" as const,
      milliseconds: n % 400,
      decidedBy: "not-asked",
      call: `recorded.${n}`,
      steps: { sent: 0.2, acked: 1.5, ended: n % 400 },
    };
  });
  for (let n = 0; n < recorded; n += 500) await store.addAudit(records.slice(n, n + 500));
  await store.close();
}

async function signInLink(url: string): Promise<string> {
  const headers = { Authorization: `Bearer ${agentToken}` };
  const answer = await fetch(`${url}/api/codes`, { method: "POST", headers });
  const { code } = (await answer.json()) as { readonly code: string };
  return `${url}/console#code=${code}`;
}

async function whenOpen(browser: string, url: string): Promise<DebuggedPage> {
  let page: DebuggedPage | undefined;
  await until(async () => {
    page = await debugPage(browser, url).catch(() => undefined);
    return page !== undefined;
  });
  const found = page;
  if (!found) throw new Error("The console did not open.");
  // A page that is loading cannot be asked.
  await until(() => found.read<boolean>('document.querySelector("main h1") !== null').catch(() => false));
  return found;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (await isSo()) return;
    await pause(100);
  }
  throw new Error("The console did not show its calls within a minute.");
}

/** Calls tools at a rate per second; every fortieth does not exist. */
function startCalls(url: string) {
  const headers = { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ size: "200 B" });
  const startedAt = Date.now();
  let due = 0;
  let made = 0;
  const timer = setInterval(() => {
    due = ((Date.now() - startedAt) * perSecond) / 1000;
    for (; made < due; made++) {
      const name = made % 40 === 0 ? "missing" : made % toolCount === 0 ? "answer" : `answer_${made % toolCount}`;
      void fetch(`${url}/api/call/${name}`, { method: "POST", headers, body }).then(
        (answer) => answer.text(),
        () => {},
      );
    }
  }, beat);
  return { rate: () => (made * 1000) / (Date.now() - startedAt), close: () => clearInterval(timer) };
}

function readFor(page: DebuggedPage, milliseconds: number): Promise<FrameFigures> {
  return page.read<FrameFigures>(`(${readTimeline.toString()})(${milliseconds})`);
}

interface Measured extends FrameFigures {
  readonly made: number;
  readonly longestWork: number;
  readonly growth: number;
  readonly heap: number;
  readonly first: FrameFigures;
}

function rowsOf({ made, longestWork, growth, heap, first, ...figures }: Measured): readonly Row[] {
  const all: Readonly<Record<string, number>> = {
    "longest task CPU ms": longestWork,
    "longest task ms": figures.longestTask,
    "tasks over 50 ms": figures.longTasks,
    "frame p99 ms": figures.p99,
    "longest frame ms": figures.longestFrame,
    "longest task ms, first ten seconds": first.longestTask,
    "heap MB": heap,
    "heap growth MB": growth,
    "calls/s": made,
  };
  return Object.entries(all).map(([metric, value]) => {
    const bar = bars[metric] ?? null;
    return {
      ...{ row, size: "10,000 calls", metric, pagewire: round(value), floor: null, peers: {}, ratio: null, bar },
      met: bar === null ? null : value <= bar,
    };
  });
}
