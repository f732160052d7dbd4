import { once } from "node:events";
import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };
const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: "listener" });

test.each(["close", "drain"] as const)(
  "when the hub stops by %s, standing streams come to their end, and are not broken off",
  async (stop) => {
    const hub = await startHub();
    const session = await openSession(hub);
    const streams = [sendRaw(hub, listen), session.listen()];
    await Promise.all(streams.map(({ request }) => once(request, "response")));
    const ends = Promise.all(streams.map((stream) => stream.whole()));
    await hub[stop]();
    const [stateless, ofSession] = await ends;
    expect(stateless?.messages.at(-1)).toMatchObject({
      id: "listener",
      result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": "listener" } },
    });
    expect(ofSession?.messages).toEqual([]);
  },
);

test("M37: when the hub's token changes, a call in a session of the old one is aborted in its page", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const session = await openSession(hub);
  const told = session.request("tools/call", { ...work, _meta: { progressToken: 1 } });
  const call = await page.nextCall();
  call.progress(1);
  await told.next();
  // The client may come back for the rest of the stream: only the end of its session rules that out.
  told.hangUp();
  hub.rotate("another-token-of-this-test");
  expect(await call.cancelled).toBe("The client's session ended.");
  await agentsOf(hub, 0);
});

/** Waits until `count` agents are connected. */
async function agentsOf(hub: TestHub, count: number): Promise<void> {
  await expect.poll(() => hub.metric("pagewire_agents")).toBe(count);
}
