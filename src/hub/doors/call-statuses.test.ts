import { join } from "node:path";
import { expect, test } from "vitest";
import { specTable } from "../../../test/support/spec-table.ts";
import { parsePolicy } from "../../policy/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { makeFolder, openTestStore } from "../store/test-support/store-contract.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import type { HttpAnswer } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { byHand, connectPage } from "../test-support/page.test-helper.ts";
import type { TestPage } from "../test-support/page.test-helper.ts";

interface Ended {
  readonly outcome: string;
  readonly error: { readonly code: string } | null;
}

type Act = (page: TestPage, id: string) => void;

const key = { "Idempotency-Key": "one" };

/** A call that reaches a page, which does this with it. */
const inPage = (act: Act) => async (): Promise<HttpAnswer> => {
  const hub = await startHub({ limits: { graceTime: 20 } });
  await connectPage(hub.url, { handle: (call, page) => act(page, call.id) });
  return callTool(hub, "work");
};

/** A call that fails in its page. */
const failing = (outcome: string, code: string = outcome) =>
  inPage((page, id) => page.send({ type: "failure", id, outcome, ran: "no", code, message: "" }));

const byPolicy =
  (rule: object, calls = 1) =>
  async (): Promise<HttpAnswer> => {
    const hub = await startHub({ policy: () => parsePolicy(JSON.stringify({ rules: [rule] })) });
    await connectPage(hub.url);
    for (let call = 1; call < calls; call++) await callTool(hub, "work");
    return callTool(hub, "work");
  };

async function besideAnother(hub: TestHub, call: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  const page = await connectPage(hub.url, { handle: byHand });
  const first = callTool(hub, "work", { headers: key });
  const { id } = await page.nextCall();
  const answer = await call();
  page.result(id, "1");
  await first;
  return answer;
}

/** A call of each outcome and code in the table. */
const calls: Readonly<Record<string, () => Promise<HttpAnswer>>> = {
  ok: inPage((page, id) => page.result(id, "1")),
  "tool-error": inPage((page, id) => page.send({ type: "result", id, isError: true }, "{}")),
  "rejected with any other code": failing("rejected", "arguments-malformed"),
  "policy-denied": byPolicy({ decision: "deny" }),
  "policy-unasked": byPolicy({ decision: "ask" }),
  "policy-declined": failing("rejected", "policy-declined"),
  "action-refused": failing("rejected", "action-refused"),
  "bus-unavailable": failing("rejected", "bus-unavailable"),
  "policy-rate": byPolicy({ decision: "allow", rate: "1/hour" }, 2),
  "tool-not-found": async () => callTool(await startHub(), "work"),
  "tab-not-found": async () => callTool(await startHub(), "work", { headers: { "Pagewire-Tab": "none" } }),
  cancelled: failing("cancelled"),
  async "tool-ambiguous"() {
    const hub = await startHub();
    hub.allow("https://other.example");
    await connectPage(hub.url, { tab: "1", app: "one" });
    await connectPage(hub.url, { tab: "2", app: "two", origin: "https://other.example" });
    return callTool(hub, "work");
  },
  async "key-conflict"() {
    const hub = await startHub();
    return besideAnother(hub, () => callTool(hub, "work", { headers: key, body: '{"other":1}' }));
  },
  async expired() {
    const hub = await startHub({ limits: { keyBytes: 0 } });
    await connectPage(hub.url);
    await callTool(hub, "work", { headers: key });
    return callTool(hub, "work", { headers: key });
  },
  "body-too-large": async () =>
    callTool(await startHub({ limits: { frameBytes: 1000 } }), "work", { body: "x".repeat(1001) }),
  "input-invalid": failing("rejected", "input-invalid"),
  async "calls-too-many"() {
    const hub = await startHub({ limits: { callsPerTab: 1 } });
    return besideAnother(hub, () => callTool(hub, "work"));
  },
  "not-delivered": inPage((page) => page.send({ type: "bye" })),
  async "page-gone"() {
    const hub = await startHub({ limits: { graceTime: 500 } });
    const page = await connectPage(hub.url);
    page.socket.terminate();
    while (!(await callTool(hub, "list_browser_tabs")).text.includes('"state":"away"')) await page.closed;
    return callTool(hub, "work");
  },
  "outcome-unknown": inPage((page, id) => {
    page.ack(id);
    page.send({ type: "bye" });
  }),
  "page-suspended": inPage((page, id) => {
    page.ack(id);
    page.send({ type: "suspended", reason: "frozen" });
  }),
  async "going-away"() {
    const hub = await startHub();
    let drained: Promise<unknown> | undefined;
    const answer = await besideAnother(hub, () => {
      drained = hub.drain();
      return callTool(hub, "work");
    });
    await drained;
    return answer;
  },
  async "not-saved"() {
    const store = createFailingStore(await openTestStore(join(makeFolder(), "hub.db")));
    const hub = await startHub({ store: () => store });
    await connectPage(hub.url);
    store.failure = "full";
    return callTool(hub, "work", { headers: key });
  },
  async "deadline-exceeded"() {
    const hub = await startHub();
    await connectPage(hub.url, { handle: byHand });
    return callTool(hub, "work", { headers: { "Pagewire-Timeout": "0.05" } });
  },
};

test("H32: a call without a result is answered with the status in the contract's table", async () => {
  const rows = specTable(new URL("SPEC.md", import.meta.url), "- **H35**");
  const named = rows.flatMap(([status, names = ""]) =>
    names.split(", ").map((name) => [name, Number(status)] as const),
  );
  expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(calls).toSorted());
  for (const [name, expected] of named) {
    const answer = await calls[name]?.();
    expect(answer?.status, name).toBe(expected);
    const { outcome, error } = JSON.parse(answer?.text ?? "") as Ended;
    expect([outcome, error?.code, "rejected with any other code"], name).toContain(name);
  }
});
