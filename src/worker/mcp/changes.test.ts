import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { createLocalWorld, inNewest, tokenOf, toolNamed } from "../local/local.test-helper.ts";
import type { RawClient } from "../local/local.test-helper.ts";
import { olderClient, openShop, shopTools } from "./shop.test-helper.ts";

async function namesIn(client: RawClient, params: JsonObject = inNewest()): Promise<unknown> {
  const { result } = await client.ask("tools/list", params);
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

const builtIn = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"];

describe("changes of the list", () => {
  const changed = "notifications/tools/list_changed";
  const mark = (id: string | number) => ({ _meta: { "io.modelcontextprotocol/subscriptionId": id } });
  const asked = { notifications: { toolsListChanged: true, promptsListChanged: true } };

  test("an older client is notified once it is initialized; one of 2026-07-28 once it subscribes, with that request's id", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const [before, newest] = [await olderClient(world), world.client()];
    newest.post({ jsonrpc: "2.0", id: "listen:1", method: "subscriptions/listen", params: inNewest(asked) });
    expect(await newest.next()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true }, ...mark("listen:1") },
    });
    await before.ask("ping");
    shop.offer(toolNamed("sell"));
    await world.clock.advance(100);
    await expect.poll(() => newest.notifications.length).toBe(2);
    await expect.poll(() => before.notifications.length).toBe(1);
    expect(newest.notifications[1]).toEqual({ jsonrpc: "2.0", method: changed, params: mark("listen:1") });
    expect(before.notifications[0]).toEqual({ jsonrpc: "2.0", method: changed });
    expect(await namesIn(newest)).toEqual([...builtIn, "sell"]);
    shop.offer(...shopTools);
    await world.clock.advance(100);
    await expect.poll(() => before.notifications.length).toBe(2);
  });

  test("no client is notified of an equal list, of other lists, or after it has cancelled", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const [before, newest] = [await olderClient(world), world.client()];
    newest.post({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: inNewest(asked) });
    await newest.next();
    await before.ask("ping");
    const prompts = { tools: shopTools, resources: [], resourceTemplates: [], prompts: [{ name: "help" }] };
    shop.page.say({ type: "offer" }, JSON.stringify(prompts));
    shop.page.say({ type: "tab", title: "Another title" });
    await world.clock.advance(1000);
    newest.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await newest.ask("tools/list", inNewest());
    expect([before.notifications.length, newest.notifications.length]).toEqual([0, 1]);
    shop.offer();
    await world.clock.advance(1000);
    await expect.poll(() => before.notifications.length).toBe(1);
    await newest.ask("tools/list", inNewest());
    expect(newest.notifications).toHaveLength(1);
  });

  test("a cancelled subscription ends alone, and another may take its place", async () => {
    const world = createLocalWorld({ mcpSubscriptions: 2 });
    const shop = await openShop(world);
    const client = await olderClient(world);
    const listen = (id: number) =>
      client.post({ jsonrpc: "2.0", id, method: "subscriptions/listen", params: inNewest(asked) });
    for (const id of [1, 2]) listen(id);
    client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    listen(3);
    await client.ask("ping");
    client.notifications.splice(0);
    shop.offer(toolNamed("sell"));
    await world.clock.advance(100);
    await expect.poll(() => client.notifications.length).toBe(3);
    const marks = client.notifications.map(({ params }) => JSON.stringify(params));
    expect(marks.toSorted()).toEqual([mark(2), mark(3), undefined].map((one) => JSON.stringify(one)));
  });

  test("a subscription to no list of the worker's is answered at once, and does not count", async () => {
    const world = createLocalWorld({ mcpSubscriptions: 1 });
    const client = world.client();
    const nothing = { notifications: { promptsListChanged: true } };
    for (let round = 0; round < 2; round++) {
      expect(await client.ask("subscriptions/listen", inNewest(nothing))).toMatchObject({ result: {} });
    }
  });

  test("a client is notified of the tools of its own principal only", async () => {
    const world = createLocalWorld();
    const ann = await openShop(world, tokenOf({ sub: "ann" }));
    const client = await olderClient(world);
    await client.ask("ping");
    ann.offer(toolNamed("sell"));
    await world.clock.advance(1000);
    expect(await namesIn(client, {})).toEqual(builtIn);
    expect(client.notifications).toEqual([]);
  });

  test("the number of subscriptions of one client is limited", async () => {
    const client = createLocalWorld({ mcpSubscriptions: 1 }).client();
    client.post({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: inNewest(asked) });
    await client.next();
    const answer = await client.ask("subscriptions/listen", inNewest(asked));
    expect(answer).toMatchObject({
      error: { code: -32_603, message: expect.stringContaining("mcpSubscriptions") as string },
    });
  });
});
