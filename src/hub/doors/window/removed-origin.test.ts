import { expect, test } from "vitest";
import { startCore } from "../core/core.test-helper.ts";
import { callOnce, namesIn } from "../core/model.test-helper.ts";
import { startTalking, talk, waiting } from "../core/talk.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { offerTools, openWindow, parentTool, postTools, readingTool } from "./window.test-helper.ts";

const refused = expect.objectContaining({ code: "origin-not-allowed" });

test("tools and messages of an origin that is no longer allowed are refused at once, whatever its window does", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model);
  const { client, window } = await talk(hub);
  await client.run("send", "x", { tools: "page" });
  hub.disallow(shop);
  expect(await window.closed).toEqual(["origin-not-allowed", expect.stringContaining(`npx pagewire allow ${shop}`)]);
  const offer = { tools: [readingTool("work")], origin: shop, session_id: client.session };
  expect(errorOf(await postTools(hub, offer))).toEqual([403, "origin-not-allowed"]);
  const again = await openWindow(hub, client.session);
  expect(await again.closed).toEqual(["origin-not-allowed", expect.any(String)]);
  await expect(client.run("send", "x", { from: shop })).rejects.toEqual(refused);
  await client.run("send", "x", { tools: "page" });
  expect(namesIn(model.requests.at(-1))).toEqual([]);
  expect(window.came).toHaveLength(1);
});

test("a call that runs in a page whose origin is not allowed any more ends so, and is withdrawn there", async () => {
  const hub = await startTalking(callOnce("parent-window_work"));
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [readingTool("work")], session_id: client.session });
  const window = await openWindow(hub, session);
  const answer = client.run("send", "x", { tools: "page" });
  const call = await window.next();
  hub.disallow(shop);
  expect(await answer).toMatch(/not use this hub any more: whether it did anything is not known.*origin-not-allowed/);
  await window.closed;
  expect(window.came.slice(1)).toEqual([{ type: "tool_cancel", request_id: call.request_id }]);
});

test("a call that its user allows after its origin was removed does not run", async () => {
  const hub = await startTalking(callOnce("parent-window_pay"));
  const { client, window } = await talk(hub, { tools: [parentTool("pay")] });
  const answer = client.run("send", "x", { tools: "page" });
  const { id } = await waiting(client);
  hub.disallow(shop);
  await window.closed;
  await client.run("settleToolCall", id, true);
  expect(await answer).toMatch(/not use this hub any more: .*pay.* did not run.*origin-not-allowed/);
  expect(window.came).toEqual([]);
});

test("windows of other origins, and without a page, are left as they are; an origin that is allowed again is back", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model);
  const { client } = await talk(hub, { origin: "https://bank.example" });
  const { client: home } = await talk(hub, { origin: null });
  hub.disallow(shop);
  for (const each of [client, home]) expect(await each.run("send", "x", { tools: "page" })).toBe("result: work ran");
  hub.allow(shop);
  expect(await (await talk(hub)).client.run("send", "x", { tools: "page" })).toBe("result: work ran");
});
