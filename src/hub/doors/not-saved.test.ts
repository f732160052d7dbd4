import { join } from "node:path";
import { expect, test } from "vitest";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { connectPage, plainResult } from "../test-support/page.test-helper.ts";
import type { TestPage } from "../test-support/page.test-helper.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { makeFolder, openTestStore } from "../store/test-support/store-contract.test-helper.ts";
import { delegate, openTerminal } from "./delegate/delegate.test-helper.ts";
import { askOnce } from "./mcp/test-support/mcp-asking.test-helper.ts";
import { revisions } from "./mcp/test-support/mcp-client.test-helper.ts";

const toolError = '{"isError":true,"content":[{"type":"text","text":"No."}]}';

/** A hub whose store fails as soon as its page has run a call, or from an earlier moment if the test says so. */
async function startFailing(payload = plainResult) {
  const store = createFailingStore(await openTestStore(join(makeFolder(), "hub.db")));
  const hub = await startHub({ store: () => store });
  const page = await connectPage(hub.url, {
    handle({ id }, self: TestPage) {
      self.ack(id);
      store.failure = "full";
      self.result(id, payload);
    },
  });
  return { store, hub, page };
}

const key = { "Idempotency-Key": "one" };
const jsonOf = ({ text }: { readonly text: string }) => JSON.parse(text) as Record<string, unknown>;

/** Makes a call with a key through each door; returns the outcome in the door's own terms. */
const doors: readonly (readonly [string, (hub: TestHub, page: TestPage) => Promise<unknown>])[] = [
  ["/api/call", async (hub) => jsonOf(await callTool(hub, "work", { headers: key }))],
  [
    "the delegate",
    async (hub, page) => (await delegate(hub, await openTerminal(hub, page.tabId), { headers: key })).json,
  ],
  [
    "an agent's socket",
    async (hub) =>
      (await (await connectAgent(hub.url, { token: hub.token })).call("work", { id: "1", key: "one" })).frame,
  ],
  ...revisions.map(
    (revision) =>
      [
        `/mcp of ${revision}`,
        async (hub: TestHub) => {
          const params = { name: "work", arguments: {}, idempotencyKey: "one" };
          const { result } = await askOnce({ hub, revision }, "tools/call", params);
          return (result as { _meta?: unknown } | undefined)?._meta;
        },
      ] as const,
  ),
];

test.each(doors)(
  "H74: by %s a call whose end could not be written down is answered with that end, and says so",
  async (name, ask) => {
    for (const payload of [plainResult, toolError]) {
      const { hub, page } = await startFailing(payload);
      const mark = name.startsWith("/mcp") ? "pagewire/not-saved" : "notSaved";
      expect(await ask(hub, page)).toMatchObject({ [mark]: true });
      expect(page.calls).toHaveLength(1);
      expect(await hub.metric('pagewire_not_saved_total{what="outcome"}')).toBe(1);
    }
  },
);

test("H74: a call whose key cannot be written down is refused before it runs, and one without a key goes on", async () => {
  const { store, hub, page } = await startFailing();
  const terminal = await openTerminal(hub, page.tabId);
  store.failure = "full";
  const refused = await callTool(hub, "work", { headers: key });
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
  expect(jsonOf(refused)).toMatchObject({ outcome: "rejected", ran: "no", error: { code: "not-saved" } });
  const delegated = await delegate(hub, terminal, { headers: key });
  expect([delegated.status, delegated.headers["retry-after"], delegated.json["code"], delegated.json["ran"]]).toEqual([
    503,
    "1",
    "not-saved",
    "no",
  ]);
  expect(page.calls).toEqual([]);
  expect(await hub.metric('pagewire_not_saved_total{what="key"}')).toBe(2);
  expect(jsonOf(await callTool(hub, "work"))).toMatchObject({ outcome: "ok", notSaved: false });
});

test("H74: if the earlier use of a key is unknown, the error says so", async () => {
  const { store, hub, page } = await startFailing();
  [store.failure, store.failsToRead] = ["away", true];
  const answer = await callTool(hub, "work", { headers: key });
  expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
  expect(jsonOf(answer)).toMatchObject({ outcome: "outcome-unknown", ran: "maybe", error: { code: "not-saved" } });
  expect(page.calls).toEqual([]);
});

test("H74: only the hub can report that an outcome is not saved, not a page", async () => {
  const store = createFailingStore();
  const hub = await startHub({ store: () => store });
  const said = '{"isError":true,"_meta":{"pagewire/code":"not-saved"},"content":[{"type":"text","text":"No."}]}';
  const page = await connectPage(hub.url, {
    handle({ id }, self) {
      self.ack(id);
      self.result(id, said);
    },
  });
  const { status, json } = await delegate(hub, await openTerminal(hub, page.tabId));
  expect([status, json["code"], json["notSaved"]]).toEqual([502, "handler-failed", undefined]);
});
