// Each program through each journey: the real program, a scripted model, a real hub, a real tab. `npm run agents` installs them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Tab } from "../e2e/support/tab.ts";
import { connectFromNothing, fromNothing } from "./journeys/from-nothing.ts";
import { journeyTable } from "./journeys/journey-table.ts";
import { programTable } from "./programs/program-table.ts";
import type { Program } from "./programs/program.ts";
import { createAgent } from "./support/agent.ts";
import type { Agent } from "./support/agent.ts";
import { createMachine } from "./support/machine.ts";
import type { Machine } from "./support/machine.ts";
import { record } from "./support/record.ts";

const wanted = process.env["PAGEWIRE_AGENTS_ONLY"]?.split(",");
const chosen = programTable.filter(({ id }) => wanted?.includes(id) ?? true);
/** In `npm test`. */
const isQuick = process.env["PAGEWIRE_AGENTS_QUICK"] !== undefined;
const journeys = journeyTable.filter(({ isSlow = false }) => !(isQuick && isSlow));

let machine: Machine;
let tab: Tab;
const agents = new Map<string, Promise<Agent>>();

beforeAll(async () => {
  machine = await createMachine();
});

afterAll(async () => {
  await Promise.all([...agents.values()].map(async (agent) => (await agent).close()));
  await machine?.close();
});

beforeEach(async () => {
  tab = await machine.openTab();
  machine.forget();
});

afterEach(() => machine.closeTabs());

/** The program, connected as its user would: once for all journeys. */
function connected(program: Program): Promise<Agent> {
  const agent = agents.get(program.id) ?? connect(program);
  agents.set(program.id, agent);
  return agent;
}

async function connect(program: Program): Promise<Agent> {
  const agent = await createAgent(program, machine);
  await record(agent, fromNothing, await connectFromNothing(agent, machine));
  const { output, ms } = await agent.run(program.list.args);
  expect(output).toMatch(program.list.healthy);
  const shown = [program.command, ...program.list.args].join(" ");
  await record(agent, "its own list of servers", { result: `\`${shown}\` lists it as it should`, ms });
  return agent;
}

// A file without a test would be an error.
test.skipIf(chosen.length > 0)("none of the programs is chosen", () => {});

// "$title" would shorten long titles, and --journey would not find them.
const titled = <Entry extends { readonly title: string }>(entries: readonly Entry[]) =>
  entries.map((entry) => [entry.title, entry] as const);

describe.each(titled(chosen))("%s", (_, program) => {
  test.each(titled(journeys))("%s", async (title, journey) => {
    const agent = await connected(program);
    const other = () => connected(programTable.find((each) => each !== program) ?? program);
    await record(agent, title, await journey.run({ machine, agent, tab, other }));
  });
});
