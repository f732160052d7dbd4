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

type User = Pick<Agent, "pagewire" | "project">;

/** Runs a function while a rule of the hub asks about `clear_shelf`. */
export async function whileRuleAsks<Value>(
  { hub }: Machine,
  { pagewire, project }: User,
  run: () => Promise<Value>,
): Promise<Value> {
  const file = join(project, "policy.json");
  await mkdir(project, { recursive: true });
  await writeFile(file, JSON.stringify({ rules }));
  // The command shows the file, which the hub reads a moment later.
  const isInForce = async () => {
    const headers = { authorization: `Bearer ${await hub.token()}`, "content-type": "application/json" };
    const body = JSON.stringify({ tool: "clear_shelf" });
    const response = await fetch(`${hub.url}/api/policy/test`, { method: "POST", headers, body });
    return ((await response.json()) as { readonly decision: string }).decision === "ask";
  };
  await pagewire("policy", "set", file);
  try {
    await waitUntil(isInForce, () => "The rule is not in force.");
    return await run();
  } finally {
    await pagewire("policy", "set", "--remove");
    await waitUntil(
      async () => !(await isInForce()),
      () => "The rule is still in force.",
    );
  }
}

/** The ids of what waits for the user at the hub. */
export async function waitsOf({ pagewire }: Pick<User, "pagewire">): Promise<readonly string[]> {
  const { waits } = JSON.parse((await pagewire("waits", "--json")).output) as Waits;
  return waits.map(({ id }) => id);
}

/**
 * Has a conversation in which `clear_shelf` is called; `isAsked` says whether its user was the one who allowed it. A wait may be seen in
 * the moment before its program answers it.
 */
export function underRule<Ended>(
  machine: Machine,
  user: User,
  start: () => Promise<Ended>,
): Promise<{ readonly isAsked: boolean; readonly ended: Ended }> {
  return whileRuleAsks(machine, user, async () => {
    const talk = start();
    let isOver = false;
    const over = () => (isOver = true);
    void talk.then(over, over);
    const asked = await waitUntil(
      async () => {
        const waits = await waitsOf(user);
        return isOver || waits.length > 0 ? waits : undefined;
      },
      () => "Nobody is asked.",
    );
    const wait = asked?.[0];
    expect(machine.ran("clear_shelf")).toBe(0);
    const isAsked = Boolean(wait) && (await user.pagewire("waits", "allow", wait ?? "")).code === 0;
    const ended = await talk;
    expect(await waitsOf(user)).toEqual([]);
    expect(machine.ran("clear_shelf")).toBe(isAsked ? 1 : 0);
    return { isAsked, ended };
  });
}
