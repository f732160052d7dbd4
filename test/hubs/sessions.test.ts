// Clients of both lines of the SDK whose every request goes to the next of three hubs, while one of these is killed.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../e2e/support/wait.ts";
import { openHubsWorld } from "./support/hubs-world.ts";
import type { HubsWorld } from "./support/hubs-world.ts";

let world: HubsWorld;

beforeAll(async () => {
  world = await openHubsWorld(6);
}, 120_000);

afterAll(() => world?.close());

interface Caller {
  readonly session: () => string | undefined;
  call(given: { readonly tag: string; readonly work: number; readonly tabId: string }): Promise<unknown>;
  close(): Promise<void>;
}

/** As a load balancer does it: a hub that does not listen is left out. */
function takeTurns(first: number): typeof fetch {
  let turn = first;
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    for (let tries = 0; ; tries++) {
      const hub = world.hubs[turn++ % world.hubs.length];
      try {
        return await fetch(`${hub?.url}${pathname}`, init);
      } catch (error) {
        const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
        if (cause?.code !== "ECONNREFUSED" || tries === world.hubs.length) throw error;
      }
    }
  };
}

async function connectNewer(first: number): Promise<Caller> {
  const client = new Client({ name: "newer", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", world.url), transportOptions(first));
  await client.connect(transport);
  return {
    session: () => transport.sessionId,
    call: (given) => client.callTool({ name: "work", arguments: given }, { onprogress: () => {} }),
    close: () => client.close(),
  };
}

async function connectOlder(first: number): Promise<Caller> {
  const client = new OlderClient({ name: "older", version: "1" });
  const transport = new OlderTransport(new URL("/mcp", world.url), transportOptions(first));
  await client.connect(transport as Transport);
  return {
    session: () => transport.sessionId,
    call: (given) => client.callTool({ name: "work", arguments: given }, undefined, { onprogress: () => {} }),
    close: () => client.close(),
  };
}

function transportOptions(first: number) {
  return { requestInit: { headers: { Authorization: `Bearer ${world.token}` } }, fetch: takeTurns(first) };
}

test("MH101: clients go on with their sessions while the hub of some is killed, and no call runs twice or is told wrong", async () => {
  const callers: Caller[] = [];
  // Each begins with the next hub.
  for (let count = 0; count < 6; count++)
    callers.push(await (count % 2 === 0 ? connectNewer(count) : connectOlder(count)));
  const sessions = callers.map(({ session }) => session());
  const hubOf = (session: string | undefined) => session?.split(".")[0];
  expect(new Set(sessions.map(hubOf)).size).toBeGreaterThan(1);
  const ok = new Map<Caller, number>();
  const told: { readonly tag: string; readonly isOk: boolean }[] = [];
  let isOver = false;
  const load = callers.map(async (caller, number) => {
    for (let count = 0; !isOver; count++) {
      const tag = `mcp-${number}-${count}`;
      const { tabId = "" } = world.pages[(number + count) % world.pages.length] ?? {};
      const result = await caller.call({ tag, work: count % 4 === 0 ? 200 : 10, tabId }).catch(() => undefined);
      const isOk = (result as { structuredContent?: { tag?: string } } | undefined)?.structuredContent?.tag === tag;
      told.push({ tag, isOk });
      if (isOk) ok.set(caller, (ok.get(caller) ?? 0) + 1);
    }
  });
  const allCalled = async () => {
    ok.clear();
    await waitUntil(
      async () => callers.every((caller) => (ok.get(caller) ?? 0) >= 5),
      () => `Some clients get no answers any more: ${JSON.stringify(callers.map((caller) => ok.get(caller) ?? 0))}`,
    );
  };
  await allCalled();
  await world.hubs[0]?.kill();
  await allCalled();
  isOver = true;
  await Promise.all(load);
  expect(callers.map(({ session }) => session())).toEqual(sessions);
  const doubles = [...world.runs].filter(([, count]) => count > 1);
  const lies = told.filter(({ tag, isOk }) => isOk && world.runs.get(tag) !== 1);
  expect({ doubles, lies }).toEqual({ doubles: [], lies: [] });
  await Promise.all(callers.map((caller) => caller.close()));
}, 120_000);
