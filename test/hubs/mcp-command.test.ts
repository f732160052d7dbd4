// `pagewire mcp` behind a load balancer of three hubs, of which one is killed under its calls.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { spawnOwned } from "../e2e/support/processes.ts";
import { waitUntil, within } from "../e2e/support/wait.ts";
import { openHubsWorld } from "./support/hubs-world.ts";
import type { HubsWorld } from "./support/hubs-world.ts";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const client = { name: "command", version: "1" };
const newestMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": client,
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Answer {
  readonly id?: unknown;
  readonly result?: {
    readonly structuredContent?: { readonly tag?: string };
    readonly _meta?: Record<string, unknown>;
  };
  readonly error?: { readonly data?: Record<string, unknown> };
}

let world: HubsWorld;

beforeAll(async () => {
  world = await openHubsWorld(6);
}, 120_000);

afterAll(() => world?.close());

/** The command, spoken to in one revision. */
async function startCommand(revision: string) {
  const home = await mkdtemp(join(tmpdir(), "pagewire-home-"));
  const { PATH, HOME } = process.env;
  const hosts = world.hubs.map(({ port }) => `127.0.0.1:${port}`);
  const owned = await spawnOwned(process.execPath, [command, "mcp", "--hub", world.url], {
    env: { PATH, HOME, PAGEWIRE_HOME: home, PAGEWIRE_TOKEN: world.token, PAGEWIRE_RELAY_TO: hosts.join(",") },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    owned.signal("SIGKILL");
    await owned.exited;
    await rm(home, { recursive: true, force: true });
  });
  const { stdin, stdout } = owned.child;
  if (!stdin || !stdout) throw new Error("The command has no input or output.");
  const waiting = new Map<unknown, (answer: Answer) => void>();
  createInterface({ input: stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id)?.(answer);
  });
  let count = 0;
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object): Promise<Answer> => {
    const id = ++count;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return within(answered, () => `${method} was not answered:\n${owned.output()}`);
  };
  const isNewest = revision === "2026-07-28";
  if (!isNewest) {
    await ask("initialize", { protocolVersion: revision, capabilities: {}, clientInfo: client });
    send({ method: "notifications/initialized" });
  }
  return (tag: string, work: number, key?: string) => {
    const { tabId } = world.pages[Number(tag.split("-").at(-1)) % world.pages.length] ?? {};
    const meta = { progressToken: tag, ...(isNewest && newestMeta) };
    return ask("tools/call", {
      ...{ name: "work", arguments: { tag, work, tabId }, _meta: meta },
      ...(key !== undefined && { idempotencyKey: key }),
    });
  };
}

const isOk = ({ result }: Answer, tag: string) => result?.structuredContent?.tag === tag;
const outcomeOf = ({ result, error }: Answer) => result?._meta?.["pagewire/outcome"] ?? error?.data?.["pagewire/code"];

test.each(["2025-11-25", "2026-07-28"])(
  "MH101: `pagewire mcp` in %s goes on by itself when a hub is killed under its calls, and no call runs twice or is told wrong",
  async (revision) => {
    const call = await startCommand(revision);
    for (let count = 0; count < 6; count++)
      expect(await call(`${revision}-a-${count}`, 1)).toMatchObject({ result: {} });
    const sent = Array.from({ length: 12 }, (_, at) => `${revision}-b-${at}`).map((tag, at) => {
      const key = at % 2 === 0 ? undefined : tag;
      return { tag, key, answered: call(tag, 3000, key) };
    });
    await waitUntil(
      async () => sent.every(({ tag }) => world.runs.has(tag)),
      () => "Not all calls reached their pages.",
    );
    const hub = await busiest();
    await hub.kill();
    const ended = await Promise.all(sent.map(async ({ answered, ...rest }) => ({ ...rest, answer: await answered })));
    const lost = ended.filter(({ tag, answer }) => !isOk(answer, tag));
    expect(lost.length).toBeGreaterThan(0);
    for (const { answer } of lost) expect(outcomeOf(answer)).toBe("outcome-unknown");
    for (let count = 0; count < 6; count++) {
      const tag = `${revision}-c-${count}`;
      expect(isOk(await call(tag, 1), tag), tag).toBe(true);
    }
    for (const { tag, key } of ended) if (key !== undefined) await call(tag, 3000, key);
    expect([...world.runs].filter(([, runs]) => runs > 1)).toEqual([]);
    await hub.restart();
    await world.back(world.hubs, 0);
  },
  120_000,
);

/** The hub with the most calls that run for its own agents. */
async function busiest() {
  const inFlight = await Promise.all(
    world.hubs.map(async (hub) => {
      const response = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${world.token}` } });
      const [, count = "0"] = /^pagewire_calls_in_flight (\d+)$/m.exec(await response.text()) ?? [];
      return { hub, count: Number(count) };
    }),
  );
  const [first] = inFlight.sort((one, other) => other.count - one.count);
  if (!first || first.count === 0) throw new Error("No hub has calls.");
  return first.hub;
}
