import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { askTerminals, delegate, openBoth, openStream, openTerminal, toldIn } from "./delegate.test-helper.ts";

const noBrowser = "No browser client connected to this workspace";
const notAvailable = "Browser connection not available";

test("DL11: a terminal without a tab, or whose tab has closed, reaches no tab, and learns of none", async () => {
  const hub = await startHub({ limits: { graceTime: 20 } });
  const { page, terminal } = await openBoth(hub, { title: "Mine" });
  const other = await connectPage(hub.url, { tab: "tab-2", title: "Another" });
  const nowhere = await openTerminal(hub);
  expect(toldIn(await delegate(hub, nowhere))).toEqual([502, "browser-missing", noBrowser]);
  page.send({ type: "bye", final: true });
  await page.settled();
  for (const fields of [{}, { browser_id: page.tabId }]) {
    const answer = await delegate(hub, terminal, { fields });
    expect(toldIn(answer)).toEqual([502, "tab-not-found", noBrowser]);
    expect(answer.text).not.toContain("Another");
    expect(answer.text).not.toContain(other.tabId);
  }
  expect(toldIn(await delegate(hub, terminal, { path: "/actions" }))).toEqual([502, "tab-not-found", noBrowser]);
  await other.settled();
  expect(other.calls).toEqual([]);
  // A program that kept running works again when its terminal is opened in another tab.
  await askTerminals(hub, `POST /api/terminals/${terminal.id}/attach`, { tab: other.tabId });
  expect((await delegate(hub, terminal)).json).toMatchObject({ result: "done" });
});

test("DL12: if the tab is lost during a call, the error comes at once, with the reason and whether the call may have run", async () => {
  const hub = await startHub({ limits: { graceTime: 30 } });
  const frozen = { type: "suspended", reason: "frozen" };
  const cases: readonly [string, string, (page: TestPage, id: string) => void][] = [
    ["not-delivered", "no", (page) => page.send({ type: "bye" })],
    ["outcome-unknown", "maybe", (page, id) => (page.ack(id), page.send({ type: "bye", final: true }))],
    ["outcome-unknown", "maybe", (page) => page.socket.terminate()],
    ["tab-suspended", "maybe", (page, id) => (page.ack(id), page.send(frozen))],
  ];
  for (const [at, [code, ran, lose]] of cases.entries()) {
    for (const path of ["", "/stream"]) {
      const { page, terminal } = await openBoth(hub, { tab: `tab-${at}${path.slice(1)}`, handle: byHand });
      const answer = delegate(hub, terminal, { path, headers: { "Pagewire-Timeout": "600" } });
      lose(page, (await page.nextCall()).id);
      expect(toldIn(await answer)).toEqual([502, code, notAvailable]);
      expect((await answer).json).toMatchObject({ ran, message: expect.any(String) });
    }
  }
  recordFault("hub", {
    fault: "The tab of a terminal closed, cut off or frozen while it worked on a call",
    expected: "the caller hears at once, and whether the call may have run",
    observed: "the caller hears at once, and whether the call may have run",
    count: cases.length * 2,
  });
});

test("DL12: a tab that is reloaded during a call gives its answer when it is back", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const [whole, opening] = [delegate(hub, terminal), openStream(hub, terminal)];
  const calls = [await page.nextCall(), await page.nextCall()];
  for (const { id } of calls) page.ack(id);
  page.socket.terminate();
  await page.closed;
  const again = await connectPage(hub.url, { handle: byHand });
  for (const _ of calls) again.result((await again.nextCall()).id, plainResult);
  expect((await whole).json).toMatchObject({ status: "ok", result: "done" });
  expect(await (await opening).next()).toEqual({ type: "done", result: { status: "ok", result: "done" } });
});

test("DL12: a call waits for a tab that is being reloaded, also for a tool that is for terminals only", async () => {
  const hub = await startHub();
  const tools = [
    { name: "fetch", inputSchema: { type: "object" }, _meta: { "pagewire/audience": "terminal" } } as const,
  ];
  const { page, terminal } = await openBoth(hub, { tools });
  page.send({ type: "bye" });
  page.socket.terminate();
  const answer = delegate(hub, terminal, { fields: { action: "fetch" } });
  await page.closed;
  const again = await connectPage(hub.url, { tools });
  expect((await answer).json).toMatchObject({ result: "done" });
  expect(again.calls).toHaveLength(1);
});
