import { createClosingList } from "../harness/closing-list.ts";
import type { NativeAgent } from "../harness/native-agents.ts";
import { openNativeWorld } from "../harness/native-world.ts";
import type { NativeWorld } from "../harness/native-world.ts";
import type { Row, RowFamily } from "../harness/row.ts";
import { percentile, round } from "../harness/statistics.ts";
import { answerTools } from "../pages/native-page.ts";
import type { FloorAnswer, Kind } from "../pages/native-page.ts";

const row = "webmcp";
/** The most that half of the calls may take, in milliseconds. */
const mostTime = 2;
/** Calls in a turn; of one that waits for half a second each time, fewer. */
const callsInTurn = 100;
const callsOfSlow = 5;
/** Three hundred calls each, of which the median is steady. */
const mostRounds = 3;

const about = `An MCP client → a tool in the model context of a page in a headless Chromium (\`--enable-features=WebMCP\`) → back,
one call after the other, with a result of 200 B. The page has ten tools: five of its own, which Pagewire mirrors into the
browser, and five that a script registered with the browser, which Pagewire takes up. All clients are the SDK's; they take
turns, and a figure is of all calls of all turns.

- **pagewire**: the client starts \`pagewire mcp\`, as it starts the peers' programs; the page is the hub's script tag.
- **HTTP client**: the same hub and page with no program between, at /mcp.
- **floor**: the page's own \`document.modelContext.executeTool\`, with no client and no other process, as a mean of ten
  calls at a time, because a page's clock is coarse.
- **@playwright/mcp**, **chrome-devtools-mcp**: as they are installed, each attached to a browser of its own with the same
  page. The first waits after each call for the page to settle.`;

/** A call from an MCP client to a tool in the browser's model context. */
export const webmcp: RowFamily = {
  row,
  title: "A call of a WebMCP tool",
  about,
  async measure(bench) {
    const running = createClosingList();
    try {
      const world = await openNativeWorld(bench, running);
      const turns = kinds.flatMap((kind) => turnsOf(kind, world, bench.quick));
      await holdTurns(turns, Math.min(bench.rounds, mostRounds));
      return kinds.flatMap((kind) => rowsOf(kind, turns));
    } finally {
      await running.close();
    }
  },
};

const kinds: readonly Kind[] = ["script", "own"];
const names: Readonly<Record<Kind, string>> = { script: "a script's tool", own: "the page's own tool" };

/** The turns of a contestant with one tool, and how long each call took so far, in milliseconds. */
interface Turns {
  readonly kind: Kind;
  readonly name: string;
  readonly times: number[];
  take(): Promise<readonly number[]>;
}

function turnsOf(kind: Kind, { pagewire, peers }: NativeWorld, quick: boolean): readonly Turns[] {
  const tool = answerTools[kind];
  const floor = async () =>
    (await pagewire.ask<FloorAnswer>("floor", { tool, batches: quick ? 3 : callsInTurn })).times;
  const agents = [pagewire, ...peers].flatMap((page) => page.agents);
  return [
    { kind, name: "floor", times: [], take: floor },
    ...agents.map((agent) => ({
      kind,
      name: agent.name,
      times: [],
      take: () => timesOf(agent, tool, quick ? 3 : agent.isSlow ? callsOfSlow : callsInTurn),
    })),
  ];
}

async function timesOf({ name, call }: NativeAgent, tool: string, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const start = performance.now();
    const { isError } = await call(tool);
    times.push(performance.now() - start);
    if (isError) throw new Error(`${name} could not call "${tool}".`);
  }
  return times;
}

/** So many rounds, and one before them that does not count. */
async function holdTurns(contestants: readonly Turns[], rounds: number): Promise<void> {
  for (const { take } of contestants) await take();
  for (let count = 0; count < rounds; count++) {
    for (const { times, take } of contestants) times.push(...(await take()));
  }
}

function rowsOf(kind: Kind, turns: readonly Turns[]): readonly Row[] {
  return [
    { part: 0.5, bar: mostTime },
    { part: 0.95, bar: null },
  ].map(({ part, bar }) => {
    const figures = turns
      .filter((each) => each.kind === kind)
      .map(({ name, times }) => [name, round(percentile(times, part))] as const);
    const { pagewire = NaN, floor = NaN, ...peers } = Object.fromEntries(figures);
    const met = bar === null ? null : pagewire <= bar;
    return { row, size: names[kind], metric: `p${part * 100} ms`, pagewire, floor, peers, ratio: null, bar, met };
  });
}
