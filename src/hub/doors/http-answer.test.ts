import { expect, test } from "vitest";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage } from "../test-support/page.test-helper.ts";
import type { GivenCall, TestPage } from "../test-support/page.test-helper.ts";

const failing = (failure: Readonly<Record<string, unknown>>) => (call: GivenCall, page: TestPage) =>
  page.send({ type: "failure", id: call.id, ran: "no", code: "internal-error", message: "", ...failure });

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
  readonly outcome: string;
  readonly ran: string;
}

test("H32: a page's failure has its own status, with its code and message", async () => {
  const hub = await startHub();
  const failures = [
    [422, { outcome: "rejected", code: "input-invalid" }],
    [400, { outcome: "rejected", code: "arguments-malformed" }],
    [200, { outcome: "tool-error", ran: "yes", code: "handler-failed" }],
    [504, { outcome: "deadline-exceeded", ran: "maybe", code: "deadline-exceeded" }],
    [409, { outcome: "cancelled", ran: "maybe", code: "cancelled" }],
    [502, { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" }],
    [502, { outcome: "ok", ran: "yes", code: "no-such-code" }],
  ] as const;
  for (const [index, [status, failure]] of failures.entries()) {
    const name = `tool-${index}`;
    await connectPage(hub.url, {
      tab: name,
      tools: [name],
      handle: failing({ message: "in these words", ...failure }),
    });
    const answer = await callTool(hub, name);
    expect(answer.status, name).toBe(status);
    const { error, outcome } = JSON.parse(answer.text) as ErrorBody;
    expect(error.message).toBe("in these words");
    expect(error.code).toBe(failure.code === "no-such-code" ? "internal-error" : failure.code);
    // A page cannot report success without a result.
    expect(outcome).toBe(failure.outcome === "ok" ? "outcome-unknown" : failure.outcome);
  }
});

test("H32: the error of a call without a tool, a tab or a unique match lists the candidates", async () => {
  const hub = await startHub();
  await connectPage(hub.url, { tab: "1", app: "one" });
  hub.allow("https://other.example");
  await connectPage(hub.url, { tab: "2", app: "two", origin: "https://other.example" });
  const cases = [
    [404, "tool-not-found", await callTool(hub, "other")],
    [404, "tab-not-found", await callTool(hub, "work", { headers: { "Pagewire-Tab": "none" } })],
    [409, "tool-ambiguous", await callTool(hub, "work")],
  ] as const;
  for (const [status, code, answer] of cases) {
    const { error, ...end } = JSON.parse(answer.text) as ErrorBody;
    expect([answer.status, error.code]).toEqual([status, code]);
    expect(end).toEqual({ outcome: "rejected", ran: "no", replay: false, notSaved: false });
  }
  expect(cases[2][2].text).toContain("one__work, two__work");
});

test("H32: too many calls at once are refused with the time after which to try again", async () => {
  const hub = await startHub({ limits: { callsPerTab: 1 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const first = callTool(hub, "work");
  const { id } = await page.nextCall();
  const { status, headers, text } = await callTool(hub, "work");
  expect([status, headers["retry-after"]]).toEqual([429, "1"]);
  expect((JSON.parse(text) as ErrorBody).error).toMatchObject({ code: "calls-too-many" });
  page.result(id, "1");
  expect((await first).status).toBe(200);
  expect(page.calls).toHaveLength(1);
});

test("H32: how a page was lost decides whether it is safe to try again", async () => {
  const hub = await startHub({ limits: { graceTime: 50 } });
  const suspended = { type: "suspended", reason: "frozen" };
  const cases: readonly [number, string, string, (page: TestPage, id: string) => void][] = [
    [502, "not-delivered", "no", (page) => page.send({ type: "bye" })],
    [502, "outcome-unknown", "maybe", (page) => page.socket.terminate()],
    [502, "outcome-unknown", "maybe", (page, id) => (page.ack(id), page.send({ type: "bye" }))],
    [503, "page-suspended", "maybe", (page, id) => (page.ack(id), page.send(suspended))],
  ];
  for (const [status, outcome, ran, lose] of cases) {
    const page = await connectPage(hub.url, { handle: byHand });
    const answer = callTool(hub, "work");
    lose(page, (await page.nextCall()).id);
    const { status: told, text } = await answer;
    expect([told, JSON.parse(text)]).toMatchObject([status, { outcome, ran }]);
    page.send({ type: "bye" });
    page.link.close();
  }
});

test("H32: a call for a tab that is suspended, or away and does not come back, never ran", async () => {
  const hub = await startHub({ limits: { graceTime: 3000 } });
  const page = await connectPage(hub.url);
  page.send({ type: "suspended", reason: "frozen" });
  await page.settled();
  const suspended = await callTool(hub, "work");
  expect([suspended.status, JSON.parse(suspended.text)]).toMatchObject([503, { outcome: "page-suspended", ran: "no" }]);
  page.send({ type: "resumed" });
  await page.settled();
  page.socket.terminate();
  while (!(await callTool(hub, "list_browser_tabs")).text.includes('"state":"away"')) await page.closed;
  const away = await callTool(hub, "work");
  expect([away.status, JSON.parse(away.text)]).toMatchObject([502, { outcome: "page-gone", ran: "no" }]);
  expect(page.calls).toEqual([]);
});

test("H32: a key that is used up, or was used for something else, runs nothing", async () => {
  const hub = await startHub({ limits: { keyBytes: 0 } });
  const page = await connectPage(hub.url, { handle: byHand });
  const headers = { "Idempotency-Key": "one" };
  const first = callTool(hub, "work", { headers });
  const { id } = await page.nextCall();
  const other = await callTool(hub, "work", { headers, body: '{"other":1}' });
  expect([other.status, JSON.parse(other.text)]).toMatchObject([409, { error: { code: "key-conflict" }, ran: "no" }]);
  page.result(id, "1");
  await first;
  const again = await callTool(hub, "work", { headers });
  expect([again.status, JSON.parse(again.text)]).toMatchObject([
    410,
    { error: { code: "key-expired" }, outcome: "expired" },
  ]);
  expect(page.calls).toHaveLength(1);
});
