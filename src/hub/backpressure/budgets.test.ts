// Generated from the table: a budget without an attempt to exceed it does not compile, and fails here.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { budgets, defaultLimits } from "../../wire/index.ts";
import type { BudgetName, Limits, TokenBudgets } from "../../wire/index.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { attempts } from "../test-support/budgets.test-helper.ts";
import type { User } from "../test-support/budgets.test-helper.ts";
import { playModel } from "../doors/core/model.test-helper.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { createMemoryStore, openStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";

const names = Object.keys(budgets) as BudgetName[];
const tokenNames = names.filter((name) => "isInTokens" in budgets[name]);
const secret = "s".repeat(40);

test("each budget of the table has an attempt to exceed it", () => {
  expect(Object.keys(attempts).toSorted()).toEqual(names.toSorted());
});

test.each(names)(
  "a user at %s is refused by its name, or makes room, and is counted; another notices nothing",
  (name) => exceed(name, { limits: { [name]: attempts[name].most } }),
);

test.each(tokenNames)("H82: a token with a smaller %s binds what is done with it", (name) =>
  exceed(name, { budgets: { [name]: attempts[name].most } }),
);

interface Bounds {
  readonly limits?: Partial<Limits>;
  readonly budgets?: TokenBudgets;
}

async function exceed(name: BudgetName, bounds: Bounds): Promise<void> {
  const { limits, isStored = false, exceed: attempt, most } = attempts[name];
  const all = { ...limits, ...bounds.limits };
  const store = await storeWith(all, isStored);
  const hub = await startHub({ jwt: { secret }, limits: all, store: async () => store, ai });
  // The token also lowers the other budgets in an attempt below the hub's.
  const less = bounds.budgets && { budgets: { ...inTokens(limits), ...bounds.budgets } };
  const comeAs = async (subject: string, options: object = {}): Promise<User> => ({
    ...{ name: subject, url: hub.url, port: hub.port, store },
    token: await signAgentToken({ secret, subject, ...options }),
    pageToken: await signPageToken({ secret, subject, ...options }),
  });
  const bystander = await watch(await comeAs("bob"));
  const ops = await signAgentToken({ secret, subject: "ops" });
  const answer = JSON.stringify((await attempt(await comeAs("ada", less))) ?? "");

  const { code = "", countedAs = name } = budgets[name] as { readonly code?: string; readonly countedAs?: string };
  // A client that does not read or send cannot receive an error; MCP has numeric codes.
  const isTold = code !== "" && code !== "too-slow";
  const told = [name, ...(name === "mcpStreamsPerPrincipal" ? [] : [code]), ...(bounds.budgets ? [`${most}`] : [])];
  for (const words of isTold ? told : []) expect(answer).toContain(words);
  const counted = () => hub.metric(`pagewire_over_budget_total{budget="${countedAs}"}`, ops);
  await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThan(0);
  await bystander.noticesNothing();
}

function inTokens(limits: Partial<Limits> = {}): TokenBudgets {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => tokenNames.some((one) => one === name)));
}

/** A user whose page and agent stay connected. */
async function watch(user: User) {
  const page = await connectPage(user.url, { token: user.pageToken });
  const agent = await connectAgent(user.url, { token: user.token });
  let calls = 0;
  const callIt = async () => expect((await agent.call("work", { id: `${calls++}` })).frame.type).toBe("result");
  await callIt();
  return {
    async noticesNothing() {
      expect([page.link.open, agent.link.open]).toEqual([true, true]);
      await callIt();
    },
  };
}

async function storeWith(limits: Partial<Limits>, isStored: boolean): Promise<Store> {
  if (!isStored) return createMemoryStore({ limits: { ...defaultLimits, ...limits } });
  const directory = mkdtempSync(join(tmpdir(), "pagewire-budgets-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return openStore({ database: join(directory, "pagewire.db"), limits });
}

/** Calls the window tool that the prompt names; the call never ends by itself. */
const model = playModel(({ body }) => {
  const last = body.messages.at(-1);
  if (last?.role === "tool") return { text: "Done." };
  return last?.content === "never"
    ? { text: "Once", waits: new Promise(() => {}) }
    : { calls: [{ name: `parent-window_${String(last?.content)}` }] };
});
const ai = { provider: "openai", model: "m", apiKey: "sk", fetch: model.fetch } as const;
