// Calls to a restarted hub, while its tabs are still reconnecting.
import { expect, test } from "vitest";
import { connectAgent } from "./test-support/agent.test-helper.ts";
import { delegate, openTerminal } from "./doors/delegate/delegate.test-helper.ts";
import { connectClient, revisions } from "./doors/mcp/test-support/mcp-client.test-helper.ts";
import { callTool } from "./test-support/http.test-helper.ts";
import { startHub } from "./test-support/hub.test-helper.ts";
import type { TestHub } from "./test-support/hub.test-helper.ts";
import { connectPage } from "./test-support/page.test-helper.ts";

const isWaiting = async (hub: TestHub) => (await hub.metric("pagewire_agents")) > 0;

const doors: Readonly<Record<string, (hub: TestHub, key: string | undefined) => Promise<string>>> = {
  "HTTP call": async (hub, key) =>
    (await callTool(hub, "work", { headers: key === undefined ? {} : { "Idempotency-Key": key } })).text,
  "agent socket": async (hub, key) => {
    const agent = await connectAgent(hub.url, { token: hub.token });
    const { payload, ...end } = await agent.call("work", { id: "1", ...(key === undefined ? {} : { key }) });
    return `${payload} ${JSON.stringify(end)}`;
  },
  ...Object.fromEntries(
    revisions.map((revision) => [
      `MCP ${revision}`,
      async (hub: TestHub, key: string | undefined) => {
        const client = await connectClient(hub, { revision });
        const _meta = key === undefined ? {} : { "pagewire/idempotencyKey": key };
        const answer = client.callTool({ name: "work", arguments: {}, _meta });
        return JSON.stringify(
          await answer.catch(({ message, data }: Error & { data?: unknown }) => ({ message, data })),
        );
      },
    ]),
  ),
};

for (const [door, call] of Object.entries(doors)) {
  test.each([undefined, "k"])(
    `a call that comes by ${door} before its tab is back waits for it (key: %s)`,
    async (key) => {
      const hub = await startHub({ lastRun: Date.now() });
      const answer = call(hub, key);
      await expect.poll(() => isWaiting(hub)).toBe(true);
      const page = await connectPage(hub.url);
      expect(await answer).toContain("done");
      expect(page.calls).toHaveLength(1);
    },
  );

  test(`a key whose tab is not back in time is not said by ${door} to have run nothing`, async () => {
    const hub = await startHub({ lastRun: Date.now(), limits: { returnTime: 50 } });
    const answer = await call(hub, "k");
    expect(answer).toMatch(/There is no tool \\*"work\\*"/);
    expect(answer).toMatch(/ran":"maybe"/);
  });
}

test("a program in a terminal waits for its tab, too", async () => {
  const hub = await startHub({ lastRun: Date.now() });
  const gone = await connectPage(hub.url);
  const terminal = await openTerminal(hub, gone.tabId);
  gone.send({ type: "bye", final: true });
  await expect.poll(() => hub.metric("pagewire_tabs")).toBe(0);
  const answer = delegate(hub, terminal, { fields: { action: "work" } });
  await connectPage(hub.url);
  expect((await answer).json).toMatchObject({ result: "done" });
});

test("at a hub that no other ran before, a call that lacks its tool is refused at once", async () => {
  const hub = await startHub({ limits: { returnTime: 60_000 } });
  expect(await callTool(hub, "work", { headers: { "Idempotency-Key": "k" } })).toMatchObject({ status: 404 });
});
