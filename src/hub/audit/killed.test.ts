import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { threadUrl } from "../../../test/support/store-thread-url.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import type { HubDoor } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { makeFolder } from "../store/test-support/store-contract.test-helper.ts";
import { openAudit, openStore, verifyChain } from "../store/index.ts";
import type { KeptAuditRecord } from "../store/index.ts";

const pathOf = (place: string) => fileURLToPath(new URL(place, import.meta.url));
// At the same depth as src/hub, because the hub finds its package relative to its own path.
const program = pathOf("../../../.cache/programs/killed-hub.mjs");

beforeAll(async () => {
  const thread = `export const threadUrl = new URL(${JSON.stringify(threadUrl.href)});`;
  await build({
    entryPoints: [pathOf("test-support/killed-hub.test-program.ts")],
    outfile: program,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    plugins: [
      {
        name: "bundled-thread",
        setup: ({ onLoad }) => onLoad({ filter: /\/thread-url\.ts$/ }, () => ({ contents: thread })),
      },
    ],
  });
});

interface HubProcess extends HubDoor {
  readonly process: ChildProcess;
}

async function spawnHub(database: string): Promise<HubProcess> {
  const child = spawn(process.execPath, [program, database], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${Number(said)}`, token: "token", process: child };
}

async function recordsIn(database: string): Promise<readonly KeptAuditRecord[]> {
  const reader = await openAudit(database);
  const records = await reader.audit({ after: 0, limit: 10_000 });
  expect(verifyChain(records, await reader.bounds())).toEqual([]);
  await reader.close();
  return records;
}

/** When each call ended for its caller, by name, until the hub is gone. */
async function callUntilGone(hub: HubDoor, ended: Map<string, number>): Promise<void> {
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    for (let n = 0; ; n++) {
      const agent = `${caller}.${n}`;
      const { status } = await callTool(hub, "work", { headers: { "User-Agent": agent } });
      if (status === 200) ended.set(agent, Date.now());
    }
  });
  await Promise.allSettled(callers);
}

const agentsIn = (records: readonly KeptAuditRecord[]) =>
  records.flatMap(({ kind, agent = "" }) => (kind === "call" ? agent : []));

test("a hub that is told to stop has each call that ended in its audit, and the next run finds no gap", async () => {
  const database = join(makeFolder(), "hub.db");
  const hub = await spawnHub(database);
  await connectPage(hub.url);
  const ended = new Map<string, number>();
  const calling = callUntilGone(hub, ended);
  await expect.poll(() => ended.size).toBeGreaterThan(300);
  hub.process.kill("SIGTERM");
  await Promise.all([calling, once(hub.process, "exit")]);
  const records = await recordsIn(database);
  const kept = new Set(agentsIn(records));
  expect([...ended.keys()].filter((agent) => !kept.has(agent))).toEqual([]);
  expect(records.at(-1)).toMatchObject({ kind: "hub", outcome: "stopped" });
  await (await startHub({ store: () => openStore({ database }) })).close();
  expect((await recordsIn(database)).filter(({ kind }) => kind === "gap")).toEqual([]);
});

test("a killed hub loses at most the last second of records, and the next run records that", async () => {
  const kills = 3;
  let calls = 0;
  let lost = 0;
  for (let kill = 0; kill < kills; kill++) {
    const database = join(makeFolder(), "hub.db");
    const hub = await spawnHub(database);
    await connectPage(hub.url);
    // A hub that was killed before its start was written leaves nothing.
    await expect.poll(async () => (await recordsIn(database)).length).toBeGreaterThan(0);
    const ended = new Map<string, number>();
    const calling = callUntilGone(hub, ended);
    await expect.poll(() => ended.size).toBeGreaterThan(200 + 150 * kill);
    const killedAt = Date.now();
    hub.process.kill("SIGKILL");
    await calling;
    const kept = new Set(agentsIn(await recordsIn(database)));
    const missing = [...ended].filter(([agent]) => !kept.has(agent));
    expect(missing.filter(([, at]) => at < killedAt - 1000)).toEqual([]);
    [calls, lost] = [calls + ended.size, lost + missing.length];
    await (await startHub({ store: () => openStore({ database }) })).close();
    const records = await recordsIn(database);
    const at = records.findIndex(({ kind }) => kind === "gap");
    // A call's record, or the start's if the hub was killed before the first call records were written.
    const [last, gap] = [records[at - 1], records[at]];
    expect(gap).toMatchObject({ name: "killed", details: { from: last?.at, until: gap?.at } });
  }
  expect(lost).toBeLessThan(calls);
  recordFault("audit", {
    fault: "kill -9 of a hub under calls",
    expected: "records older than a second are there, the chain is whole, the next run writes a gap",
    observed: "records older than a second are there, the chain is whole, the next run writes a gap",
    count: kills,
  });
});

test("where hubs share a database, each looks for a gap in what it has written itself", async () => {
  const database = join(makeFolder(), "hub.db");
  const at = new Date().toISOString();
  const write = async (hub: string, outcome: string) => {
    const store = await openStore({ database, hub });
    await store.addAudit([{ at, kind: "hub", principal: "", outcome }]);
    await store.close();
  };
  await write("one", "started");
  await write("other", "stopped");
  for (const hub of ["other", "one"]) {
    await (await startHub({ store: () => openStore({ database, hub }) })).close();
  }
  const gaps = (await recordsIn(database)).filter(({ kind }) => kind === "gap");
  expect(gaps.map(({ hub }) => hub)).toEqual(["one"]);
});

test("each call with a key is one record, also where the key was used before the hub was started", async () => {
  const database = join(makeFolder(), "hub.db");
  const headers = { "Idempotency-Key": "key-1" };
  for (const _ of [1, 2]) {
    const hub = await startHub({ store: () => openStore({ database }), audit: { key: "k" } });
    const page = await connectPage(hub.url);
    for (const _again of [1, 2]) expect((await callTool(hub, "work", { headers })).status).toBe(200);
    await page.settled();
    await hub.close();
  }
  const calls = (await recordsIn(database)).filter(({ kind }) => kind === "call");
  expect(calls.map(({ outcome, details }) => [outcome, details?.["replay"]])).toEqual([
    ["ok", undefined],
    ["ok", true],
    ["ok", true],
    ["ok", true],
  ]);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
});
