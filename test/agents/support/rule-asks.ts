// A call of a destructive tool under a rule of the hub that asks, and a person who allows it where there is one to ask.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { waitUntil } from "../../e2e/support/wait.ts";
import type { Agent } from "./agent.ts";
import type { Machine } from "./machine.ts";

const rules = [{ name: "clearing-asks", tool: "clear_shelf", decision: "ask" }];

interface Waits {
  readonly waits: readonly { readonly id: string }[];
}

/** Has a conversation in which `clear_shelf` is called; `isAsked` says whether the call waited for its user. */
export async function underRule<Ended>(
  machine: Machine,
  { pagewire, project }: Pick<Agent, "pagewire" | "project">,
  start: () => Promise<Ended>,
): Promise<{ readonly isAsked: boolean; readonly ended: Ended }> {
  const file = join(project, "policy.json");
  await mkdir(project, { recursive: true });
  await writeFile(file, JSON.stringify({ rules }));
  await pagewire("policy", "set", file);
  try {
    await waitUntil(
      async () => (await pagewire("policy", "show")).output.includes("clearing-asks"),
      () => "The rule is not in force.",
    );
    const talk = start();
    const seen = async () => (JSON.parse((await pagewire("waits", "--json")).output) as Waits).waits;
    let isOver = false;
    const over = () => (isOver = true);
    void talk.then(over, over);
    const wait = await waitUntil(
      async () => (isOver ? { id: "" } : (await seen())[0]),
      () => "Nobody is asked.",
    );
    expect(machine.ran("clear_shelf")).toBe(0);
    if (wait?.id) await pagewire("waits", "allow", wait.id);
    const ended = await talk;
    expect(await seen()).toEqual([]);
    expect(machine.ran("clear_shelf")).toBe(wait?.id ? 1 : 0);
    return { isAsked: Boolean(wait?.id), ended };
  } finally {
    await pagewire("policy", "set", "--remove");
  }
}
