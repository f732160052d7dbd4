// The answers to a key, through every door, of a hub that was restarted with the same store.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectAgent } from "./test-support/agent.test-helper.ts";
import { delegate, openTerminal } from "./doors/delegate/delegate.test-helper.ts";
import type { TestTerminal } from "./doors/delegate/delegate.test-helper.ts";
import { connectClient, revisions } from "./doors/mcp/test-support/mcp-client.test-helper.ts";
import { signAgentToken, signPageToken } from "./guard/tokens.ts";
import { callTool } from "./test-support/http.test-helper.ts";
import { startHub } from "./test-support/hub.test-helper.ts";
import type { TestHub } from "./test-support/hub.test-helper.ts";
import type { HubOptions } from "./options/options.ts";
import { byHand, connectPage } from "./test-support/page.test-helper.ts";
import { makeFolder } from "./store/test-support/store-contract.test-helper.ts";
import { openStore } from "./store/index.ts";

const key = "order-1";

/** Calls `work` with the key; returns the whole answer as text. */
type Door = (hub: TestHub, token?: string, terminal?: TestTerminal) => Promise<string>;

const doors: Readonly<Record<string, Door>> = {
  HTTP: async (hub, token) =>
    (await callTool(hub, "work", { headers: { "Idempotency-Key": key, ...bearer(token) } })).text,
  "an agent's socket": async (hub, token = hub.token) => {
    const agent = await connectAgent(hub.url, { token });
    return JSON.stringify(await agent.call("work", { id: "1", key }));
  },
  ...Object.fromEntries(
    revisions.map((revision): [string, Door] => [
      `MCP ${revision}`,
      async (hub, token = hub.token) => {
        const client = await connectClient({ ...hub, token }, { revision });
        const call = { name: "work", arguments: {}, _meta: { "pagewire/idempotencyKey": key } };
        return JSON.stringify(await client.callTool(call).catch(({ message, data }) => ({ message, data })));
      },
    ]),
  ),
};

const bearer = (token: string | undefined) => (token === undefined ? {} : { Authorization: `Bearer ${token}` });

const terminalDoor: Door = async (hub, _, terminal) => {
  const sent = { headers: { "Idempotency-Key": key }, fields: { action: "work" } };
  return terminal ? (await delegate(hub, terminal, sent)).text : "";
};

/** Starts hubs one after the other, each with the store of the previous one. */
function createRuns(options: Partial<HubOptions> = {}) {
  const folder = makeFolder();
  let run = 0;
  const start = (database: string, lastRun?: number) =>
    startHub({ ...options, store: () => openStore({ database }), ...(lastRun === undefined ? {} : { lastRun }) });
  const path = () => join(folder, `${run}.db`);
  return {
    start: () => start(path()),
    async restart(hub: TestHub): Promise<TestHub> {
      await hub.close();
      return start(path(), Date.now());
    },
    /** The next hub gets the store as it would be if this one were killed now. */
    async restartKilled(): Promise<TestHub> {
      const left = path();
      run++;
      for (const end of ["", "-wal"]) cpSync(`${left}${end}`, `${path()}${end}`);
      return start(path(), Date.now());
    },
  };
}

describe.each(Object.keys(doors))("by %s", (name) => {
  const call = doors[name] ?? terminalDoor;

  test("H76: a key that was answered is given the same answer after a restart, and runs in no other tab", async () => {
    const runs = createRuns();
    const before = await runs.start();
    await connectPage(before.url);
    expect(await call(before)).toContain("done");
    const after = await runs.restart(before);
    const other = await connectPage(after.url, { tab: "tab-2" });
    const answer = await call(after);
    expect(answer).toContain("done");
    expect(answer).toMatch(/replay\\?":true/);
    expect(other.calls).toEqual([]);
  });

  test("H76: a key whose hub was killed while its tool ran is asked of its tab, and waits for that one", async () => {
    const runs = createRuns();
    const before = await runs.start();
    const page = await connectPage(before.url, { handle: byHand });
    const lost = call(before).catch(() => "");
    expect((await page.nextCall()).key).toBe(key);
    const after = await runs.restartKilled();
    const other = await connectPage(after.url, { tab: "tab-2" });
    const answer = call(after);
    await expect.poll(() => after.metric("pagewire_agents")).toBeGreaterThan(0);
    const back = await connectPage(after.url);
    expect(await answer).toContain("done");
    expect([back.calls.length, other.calls.length]).toEqual([1, 0]);
    await before.close();
    await lost;
  });

  test("H76: a key whose tab does not come back is never reported as not run", async () => {
    const runs = createRuns({ limits: { returnTime: 50 } });
    const before = await runs.start();
    const page = await connectPage(before.url, { handle: byHand });
    const lost = call(before).catch(() => "");
    await page.nextCall();
    const after = await runs.restartKilled();
    const other = await connectPage(after.url, { tab: "tab-2" });
    expect(await call(after)).toMatch(/ran\\?":\\?"maybe/);
    expect(await call(after)).toMatch(/ran\\?":\\?"maybe/);
    expect(other.calls).toEqual([]);
    await before.close();
    await lost;
  });
});

test("H76: a program in a terminal is given the same answer after a restart", async () => {
  const runs = createRuns();
  const before = await runs.start();
  const { tabId } = await connectPage(before.url);
  const terminal = await openTerminal(before, tabId);
  expect(await terminalDoor(before, undefined, terminal)).toContain("done");
  const after = await runs.restart(before);
  const page = await connectPage(after.url);
  // The terminal has not been attached again yet.
  expect(await terminalDoor(after, undefined, terminal)).toContain("done");
  const fresh = await delegate(after, terminal, { fields: { action: "work" }, headers: { "Idempotency-Key": "new" } });
  expect([fresh.status, fresh.json["code"]]).toEqual([502, "browser-missing"]);
  expect(page.calls).toEqual([]);
});

test("H76: in jwt mode a key is its principal's own, after a restart, too", async () => {
  const secret = "a secret of thirty-two characters";
  const runs = createRuns({ jwt: { secret } });
  const [ann, bob] = await Promise.all(["ann", "bob"].map((subject) => signAgentToken({ secret, subject })));
  const pageToken = (subject: string) => signPageToken({ secret, subject, origin: "https://shop.example" });
  const before = await runs.start();
  await connectPage(before.url, { token: await pageToken("ann") });
  expect(await doors["HTTP"]?.(before, ann)).toContain("done");
  const after = await runs.restart(before);
  const others = await connectPage(after.url, { tab: "tab-2", token: await pageToken("bob") });
  expect(await doors["HTTP"]?.(after, ann)).toMatch(/"replay":true/);
  expect(await doors["HTTP"]?.(after, bob)).toMatch(/"replay":false/);
  expect(others.calls).toHaveLength(1);
});
