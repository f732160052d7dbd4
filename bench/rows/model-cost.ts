import { createClosingList } from "../harness/closing-list.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { median, round } from "../harness/statistics.ts";
import { allIn, inputOverTurns, sumOf } from "../model-cost/cost.ts";
import type { Conversation, Cost } from "../model-cost/cost.ts";
import { findAnswers, tasks } from "../model-cost/trajectories.ts";
import type { Answers, Task } from "../model-cost/trajectories.ts";
import { openPagewire, openPeers } from "../model-cost/ways.ts";
import type { Way } from "../model-cost/ways.ts";

const row = "model-cost";
/** Tokens do not change from round to round, and times by less than matters here. */
const mostRounds = 3;
const mostOfDemoList = 1150;
const mostOverSlim = 0.6;
const mostOverPlaywright = 0.25;

const about = `What six tasks cost a model that has not seen the page before: five on the hub's demo, and one on a page of 2,000 rows.
The calls are written down (\`bench/model-cost/trajectories.ts\`), as short as each way allows, and what is read must hold the
answer. Tokens are those of o200k_base. The list is what a model is given of tools/list (names, descriptions and schemas of
input), once; read are the texts of results; written are names and arguments of calls. All in
is the list, the server's instructions, the way to both pages, and everything read and written. Each task begins on a fresh page.

- **pagewire**: the hub's /mcp with both pages open, by the SDK's client.
- **Playwright, finding**: @playwright/mcp without snapshots and code after each call; parts of its tree, by browser_find and
  by reference. **Playwright, scripts**: the same program, by browser_evaluate.
- **DevTools, scripts**: chrome-devtools-mcp without page ids and without the tools that no task needs, by evaluate_script.
  **DevTools slim**: its three tools, by evaluate.

Peers see the demo without its panel of agents, which would be more to read. A script reads and does whatever the page's
own user can, and must be written for each page; no peer is given one beforehand. A model that reads the whole
page for one task and remembers it would read less for the next; here it does not.`;

/** The cost of tasks for a model. */
export const modelCost: RowFamily = {
  row,
  title: "What tasks cost a model",
  about,
  async measure(bench) {
    const running = createClosingList();
    try {
      const pagewire = await openPagewire(bench, running);
      const ways = [pagewire, ...(await openPeers(bench, running))];
      const answers = await findAnswers(pagewire.agent);
      await pagewire.reset(tasks[0]);
      const measured = new Map<string, Measured>();
      for (const way of ways) measured.set(way.agent.name, await measureWay(way, answers, bench));
      return rowsOf(measured);
    } finally {
      await running.close();
    }
  },
};

interface Measured extends Pick<Way, "opening" | "demoList"> {
  /** With the server's instructions. */
  readonly list: number;
  readonly costs: ReadonlyMap<Task, Cost>;
}

function conversationOf({ list, opening, costs }: Measured): Conversation {
  return { list, parts: [opening, ...costs.values()] };
}

async function measureWay(way: Way, answers: Answers, { quick, rounds }: Bench): Promise<Measured> {
  const { agent, trajectories, opening, demoList, reset } = way;
  const costs = new Map<Task, Cost>();
  for (const task of tasks) {
    const found: Cost[] = [];
    for (let count = 0; count < (quick ? 1 : Math.min(rounds, mostRounds)); count++) {
      await reset(task);
      found.push(await agent.costOf(() => trajectories[task](agent, answers)));
    }
    const [first] = found;
    if (first) costs.set(task, { ...first, milliseconds: median(found.map(({ milliseconds }) => milliseconds)) });
  }
  return { opening, demoList, list: (await agent.listTokens()) + agent.instructionTokens, costs };
}

const metrics = {
  calls: ({ calls }: Cost) => calls,
  "tokens read": ({ read }: Cost) => read,
  "tokens written": ({ written }: Cost) => written,
  ms: ({ milliseconds }: Cost) => milliseconds,
};

function rowsOf(measured: ReadonlyMap<string, Measured>): readonly Row[] {
  const rowOf = (size: string, metric: string, of: (one: Measured) => number): Row => {
    const figures = [...measured].map(([name, one]) => [name, round(of(one))] as const);
    const { pagewire = NaN, ...peers } = Object.fromEntries(figures);
    return {
      row,
      size,
      metric,
      pagewire,
      floor: null,
      peers,
      ratio: null,
      bar: null,
      met: null,
    };
  };
  const withBar = (row: Row, bar: number): Row => ({ ...row, bar, met: row.pagewire <= bar });
  const together = ({ costs }: Measured) => sumOf([...costs.values()]);
  const names = [...measured.keys()];
  return [
    withBar(
      rowOf("demo's list", "tokens a model is given", ({ demoList }) => demoList.model),
      mostOfDemoList,
    ),
    rowOf("demo's list", "tokens on the wire", ({ demoList }) => demoList.wire),
    ...tasks.flatMap((task) =>
      Object.entries(metrics).map(([metric, of]) =>
        rowOf(task, metric, ({ costs }) => of(costs.get(task) ?? noCost())),
      ),
    ),
    ...Object.entries(metrics).map(([metric, of]) => rowOf("all tasks", metric, (one) => of(together(one)))),
    rowOf("all tasks", "tokens all in", (one) => allIn(conversationOf(one))),
    rowOf("all tasks", "tokens of input over all turns, nothing cached", (one) => inputOverTurns(conversationOf(one))),
    besideLeanest(
      measured,
      names.filter((name) => name === "DevTools slim"),
      mostOverSlim,
    ),
    besideLeanest(
      measured,
      names.filter((name) => name.startsWith("Playwright")),
      mostOverPlaywright,
    ),
  ];
}

function noCost(): Cost {
  throw new Error("A task was not done.");
}

/** Pagewire beside the leanest of some peers. */
function besideLeanest(measured: ReadonlyMap<string, Measured>, peers: readonly string[], bar: number): Row {
  const sums = new Map([...measured].map(([name, one]) => [name, allIn(conversationOf(one))]));
  const sum = (name: string) => sums.get(name) ?? NaN;
  const [leanest = ""] = peers.toSorted((one, other) => sum(one) - sum(other));
  const [pagewire, floor] = [sum("pagewire"), sum(leanest)];
  const ratio = round(pagewire / floor);
  const metric = `tokens all in, floor is ${leanest}`;
  return { row, size: "all tasks", metric, pagewire, floor, peers: {}, ratio, bar, met: ratio <= bar };
}
