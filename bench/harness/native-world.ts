// The same page of ten tools in a browser for each of three ways to it. Only the peers' browsers have a debugger
// attached: that is how they reach a page, and it would slow the tab's socket of the one that needs none.
import { answerTools } from "../pages/native-page.ts";
import { openChromium } from "./chromium.ts";
import type { Chromium } from "./chromium.ts";
import type { ClosingList } from "./closing-list.ts";
import {
  checkNativeAgent,
  connectByCommand,
  connectByHttp,
  connectDevTools,
  connectPlaywright,
} from "./native-agents.ts";
import type { NativeAgent } from "./native-agents.ts";
import { startPageServer } from "./page-server.ts";
import { agentToken } from "./prepare-callers.ts";
import { startRole } from "./role-process.ts";
import type { Bench } from "./row.ts";

/** A page, and the agent that uses its tools. */
export interface NativePage {
  readonly agents: readonly NativeAgent[];
  /** Has the page itself do something, by a tool of its own. */
  ask<Answer>(tool: string, given: object): Promise<Answer>;
}

export interface NativeWorld {
  readonly pagewire: NativePage;
  readonly peers: readonly NativePage[];
}

const patience = 20_000;

/** Opens all three, and checks that each agent is given the right answers. */
export async function openNativeWorld({ chromium }: Bench, running: ClosingList): Promise<NativeWorld> {
  const pages = running.add(await startPageServer());

  async function openPage({ isDebuggable, connect }: WaysIn): Promise<NativePage> {
    const hub = running.add(await startRole("pagewire", { agentToken, allowedOrigins: [pages.origin] }));
    const { port } = hub.started;
    const setting = { isDebuggable, features: ["WebMCP"] };
    const browser = running.add(await openChromium(chromium, pages.pageFor("native.js", port), setting));
    const ask = async <Answer>(tool: string, given: object) => (await askPage(port, tool, given)) as Answer;
    await untilNative(ask);
    const agents: NativeAgent[] = [];
    for (const open of connect) {
      const agent = running.add(await open(port, browser));
      for (const tool of Object.values(answerTools)) await checkNativeAgent(agent, tool);
      agents.push(agent);
    }
    return { agents, ask };
  }

  const byHub = [connectByCommand, connectByHttp];
  const byDebugger = [connectPlaywright, connectDevTools].map(
    (connect): WaysIn["connect"][number] =>
      async (_, browser) =>
        connect(await browser.address()),
  );
  const peers: NativePage[] = [];
  const pagewire = await openPage({ isDebuggable: false, connect: byHub });
  for (const connect of byDebugger) peers.push(await openPage({ isDebuggable: true, connect: [connect] }));
  return { pagewire, peers };
}

interface WaysIn {
  readonly isDebuggable: boolean;
  readonly connect: readonly ((hubPort: number, browser: Chromium) => Promise<NativeAgent>)[];
}

/** Resolves once the browser has the page's tools and the hub has the script's. */
async function untilNative(ask: NativePage["ask"]): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      await ask("floor", { tool: answerTools.own, batches: 1 });
      await ask(answerTools.script, {});
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function askPage(port: number, tool: string, given: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/api/call/${tool}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" },
    body: JSON.stringify(given),
  });
  const { outcome, result, error } = (await response.json()) as {
    readonly outcome: string;
    readonly result?: { readonly structuredContent?: unknown };
    readonly error?: unknown;
  };
  if (outcome !== "ok") throw new Error(`The page did not do "${tool}": ${JSON.stringify(error ?? result)}`);
  return result?.structuredContent;
}
