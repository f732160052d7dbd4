// A call without a word that takes longer than some programs wait by default: in all of them at the same time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, lastResult, say } from "./journeys/journey.ts";
import { programTable } from "./programs/program-table.ts";
import type { Program } from "./programs/program.ts";
import { createAgent } from "./support/agent.ts";
import { createMachine } from "./support/machine.ts";
import type { Machine } from "./support/machine.ts";
import { record } from "./support/record.ts";

const wanted = process.env["PAGEWIRE_AGENTS_ONLY"]?.split(",");
const chosen = programTable.filter(({ id }) => wanted?.includes(id) ?? true);

/** Longer than Codex's own 300. */
const seconds = 310;
const patience = 4 * seconds * 1000;

let machine: Machine;

beforeAll(async () => {
  machine = await createMachine();
});

afterAll(() => machine?.close());

async function waits(program: Program, title: string): Promise<void> {
  const agent = await createAgent(program, machine, { patience });
  try {
    await agent.connect();
    const { requests, ms } = await agent.talk(call(program, "dry_paint", { seconds }), say("Dry."));
    expect.soft(lastResult(requests[1]), program.title).toContain("The paint is dry.");
    await record(agent, title, { result: "the program waits: the result is whole", ms });
  } finally {
    await agent.close();
  }
}

test.skipIf(chosen.length === 0)(
  "a call of 310 s without progress, as pagewire connect has set it up",
  async ({ task }) => {
    await machine.openTab();
    await Promise.all(chosen.map((program) => waits(program, task.name)));
    expect(machine.ran("dry_paint")).toBe(chosen.length);
  },
  2 * patience,
);
