import { expect, test } from "vitest";
import { byHand, connectPage } from "../../test-support/page.test-helper.ts";
import { startWith } from "./core.test-helper.ts";
import { callOnce, inputSchema, serverTool } from "./model.test-helper.ts";

const readOnly = { annotations: { readOnlyHint: true } };

test("a page's tool that is not read-only waits for approval, and so does one for which the client wants a question", async () => {
  const { hub, client } = await startWith(callOnce("pay"), { tools: [serverTool("add")] });
  const tab = await connectPage(hub.url, { tools: ["pay"] });
  const waiting = () => (client.values["toolCalls"] as { id: string; status: string; approval?: object }[])[0];
  for (const [decision, calls] of [
    [true, 1],
    [false, 1],
    [{ approved: false, scope: "once" }, 1],
    [{ approved: true, scope: "once" }, 2],
  ] as const) {
    const answer = client.run("send", "Pay", { tools: "page" });
    await client.until(() => waiting()?.status === "waiting");
    expect(waiting()?.approval).toMatchObject({ tool: "pay", arguments: {} });
    await expect(client.run("settleToolCall", waiting()?.id, "yes")).rejects.toMatchObject({ code: "option-refused" });
    expect(await client.run("settleToolCall", "none", true)).toBe(false);
    expect(await client.run("settleToolCall", waiting()?.id, decision)).toBe(true);
    await answer;
    expect(tab.calls).toHaveLength(calls);
  }
  const { client: careful } = await startWith(callOnce("add"), { tools: [serverTool("add")] });
  careful.run("send", "Add", { tools: [{ name: "add", needsApproval: true }] }).catch(() => {});
  await careful.until((values) => (values["toolCalls"] as { status: string }[])[0]?.status === "waiting");
});

test("a call that is not approved within approvalTime is refused, so that nothing waits forever", async () => {
  const { hub, client } = await startWith(callOnce("pay"), {}, { limits: { approvalTime: 1 } });
  const tab = await connectPage(hub.url, { tools: ["pay"] });
  expect(await client.run("send", "Pay", { tools: "page" })).toContain("error");
  expect(tab.calls).toEqual([]);
});

test("stopping an answer cancels the call in the page", async () => {
  const { hub, client } = await startWith(callOnce("work"));
  const tab = await connectPage(hub.url, { tools: [{ name: "work", inputSchema, ...readOnly }], handle: byHand });
  const answer = client.run("send", "x", { tools: "page" });
  const { id } = await tab.nextCall();
  tab.ack(id);
  await client.run("abort");
  expect(await answer).toBeNull();
  expect((await tab.next("cancel")).frame.id).toBe(id);
});
