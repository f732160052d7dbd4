import { expect, test } from "vitest";
import { specTable } from "../../../../test/support/spec-table.ts";
import { startIssuerHub } from "../../team/test-support/issuer-hub.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { byHand } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { askTerminals, delegate, openBoth, openTerminal } from "./delegate.test-helper.ts";
import type { DelegateAnswer, DelegateRequest } from "./delegate.test-helper.ts";

type Act = (page: TestPage, id: string) => void;

const key = { "Idempotency-Key": "one" };
const ownText = "In the tool's own words.";

/** A request of a terminal that is in a tab. */
const asked =
  (given: DelegateRequest, limits = {}) =>
  async (): Promise<DelegateAnswer> => {
    const hub = await startHub({ limits });
    const { terminal } = await openBoth(hub);
    return delegate(hub, terminal, given);
  };

/** A call that reaches its page, which does this with it. */
const inPage = (act: Act) => async (): Promise<DelegateAnswer> => {
  const hub = await startHub({ limits: { graceTime: 20 } });
  const { terminal } = await openBoth(hub, { handle: (call, page) => act(page, call.id) });
  return delegate(hub, terminal);
};

const failing = (code: string) =>
  inPage((page, id) =>
    page.result(
      id,
      JSON.stringify({ content: [{ type: "text", text: ownText }], isError: true, _meta: { "pagewire/code": code } }),
    ),
  );

/** The codes of calls that were lost with their tab. */
const lostCalls = ["not-delivered", "outcome-unknown", "tab-gone", "tab-suspended"];

/** A request for each code in the table. */
const requests: Readonly<Record<string, () => Promise<DelegateAnswer>>> = {
  "token-required": asked({ headers: { Authorization: "" } }),
  "token-invalid": asked({ headers: { Authorization: "Bearer other" } }),
  async "token-expired"() {
    const hub = await startHub();
    const { terminal } = await openBoth(hub);
    await askTerminals(hub, `DELETE /api/terminals/${terminal.id}`);
    return delegate(hub, terminal);
  },
  "browser-unknown": asked({ fields: { browser_id: "other" } }),
  async "scope-needed"() {
    const hub = await startIssuerHub();
    const terminal = await openTerminal(await hub.as("tools"), hub.page.tabId);
    return delegate(hub, terminal, { fields: { action: "wipe" } });
  },
  async "key-conflict"() {
    const hub = await startHub();
    const { terminal } = await openBoth(hub);
    await delegate(hub, terminal, { headers: key });
    return delegate(hub, terminal, { headers: key, fields: { n: 1 } });
  },
  async "key-expired"() {
    const hub = await startHub({ limits: { keyBytes: 0 } });
    const { terminal } = await openBoth(hub);
    await delegate(hub, terminal, { headers: key });
    return delegate(hub, terminal, { headers: key });
  },
  "body-too-large": asked({ fields: { text: "x".repeat(4000) } }, { frameBytes: 4000 }),
  "request-malformed": asked({ body: "{}" }),
  "input-invalid": inPage((page, id) =>
    page.send({ type: "failure", id, outcome: "rejected", ran: "no", code: "input-invalid", message: ownText }),
  ),
  async "calls-too-many"() {
    const hub = await startHub({ limits: { callsPerTab: 1 } });
    const { page, terminal } = await openBoth(hub, { handle: byHand });
    const first = delegate(hub, terminal);
    const { id } = await page.nextCall();
    const answer = await delegate(hub, terminal);
    page.result(id, "{}");
    await first;
    return answer;
  },
  async "browser-missing"() {
    const hub = await startHub();
    return delegate(hub, await openTerminal(hub));
  },
  async "tab-not-found"() {
    const hub = await startHub();
    const { page, terminal } = await openBoth(hub);
    page.send({ type: "bye", final: true });
    await page.settled();
    return delegate(hub, terminal);
  },
  "not-delivered": inPage((page) => page.send({ type: "bye" })),
  "outcome-unknown": inPage((page) => page.socket.terminate()),
  async "tab-gone"() {
    const hub = await startHub({ limits: { graceTime: 500 } });
    const { page, terminal } = await openBoth(hub);
    page.socket.terminate();
    await page.closed;
    return delegate(hub, terminal);
  },
  "tab-suspended": inPage((page, id) => {
    page.ack(id);
    page.send({ type: "suspended", reason: "frozen" });
  }),
  async "deadline-exceeded"() {
    const hub = await startHub();
    const { terminal } = await openBoth(hub, { handle: byHand });
    return delegate(hub, terminal, { headers: { "Pagewire-Timeout": "0.05" } });
  },
  "tool-not-found": asked({ fields: { action: "other" } }),
  "handler-failed": failing("no-such-code"),
  "action-refused": failing("action-refused"),
  "action-unavailable": failing("action-unavailable"),
  async "going-away"() {
    const hub = await startHub();
    const { page, terminal } = await openBoth(hub, { handle: byHand });
    const running = delegate(hub, terminal);
    const { id } = await page.nextCall();
    const drained = hub.drain();
    const answer = await delegate(hub, terminal);
    page.result(id, "{}");
    await running;
    await drained;
    return answer;
  },
};

test("DL17: a failure has the status, the detail and the code in the contract's table", async () => {
  const details: Readonly<Record<string, string>> = {
    "Unknown action: …": "Unknown action: other",
    "the tool's own text": ownText,
  };
  const rows = specTable(new URL("SPEC.md", import.meta.url), "- **DL17**");
  const named = rows.flatMap(([status = "", detail = "", codes = ""]) => {
    const [first, ...others] = status.split(", ");
    return (codes.startsWith("by ") ? lostCalls : codes.split(", ")).map((code, at) => {
      return { code, status: Number(others[at - 1] ?? first), detail: details[detail] ?? detail };
    });
  });
  expect(named.map(({ code }) => code).toSorted()).toEqual(Object.keys(requests).toSorted());
  for (const { code, status, detail } of named) {
    const answer = await requests[code]?.();
    expect([answer?.status, answer?.json["code"]], code).toEqual([status, code]);
    const told = answer?.json["detail"];
    expect(told, code).toBeTruthy();
    expect(detail || told, code).toBe(told);
  }
});
