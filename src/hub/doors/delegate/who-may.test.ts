import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { signIn } from "../../test-support/own.test-helper.ts";
import { connectPage, helloOf, openPage } from "../../test-support/page.test-helper.ts";
import { askTerminals, delegate, openBoth, openTerminal, toldIn } from "./delegate.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";

test("DL6: a call names the token's own terminal, or the tab that it is in, and nothing else", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  const other = await openBoth(hub, { tab: "tab-2" });
  for (const browser_id of [terminal.id, page.tabId])
    expect((await delegate(hub, terminal, { fields: { browser_id } })).status).toBe(200);
  const before = await openTerminal(hub, other.page.tabId);
  const ids = [
    other.terminal.id,
    other.page.tabId,
    before.id,
    terminal.id.slice(1),
    `${terminal.id}0`,
    "tab-1",
    "x",
    "-g",
  ];
  for (const browser_id of [...ids, "pagewire-terminal.x"]) {
    const answer = await delegate(hub, terminal, { fields: { browser_id } });
    expect(toldIn(answer), browser_id).toEqual([403, "browser-unknown", "Unknown browser ID"]);
  }
  // The previous tab is no longer its tab.
  await askTerminals(hub, `POST /api/terminals/${terminal.id}/attach`, { tab: other.page.tabId });
  expect((await delegate(hub, terminal, { fields: { browser_id: page.tabId } })).status).toBe(403);
  await Promise.all([page.settled(), other.page.settled()]);
  expect([page.calls.length, other.page.calls.length]).toEqual([2, 0]);
  recordFault("hub", {
    fault: "Programs that name another terminal, another tab, or the tab that they were in before",
    expected: "403, and no page hears of it",
    observed: "403, and no page hears of it",
    count: ids.length + 2,
  });
});

test("missing and forged tokens, those of another kind and those of ended terminals have different errors", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  const ended = await openTerminal(hub, page.tabId);
  await askTerminals(hub, `DELETE /api/terminals/${ended.id}`);
  const app = await signIn(hub, hub.token);
  const forged = [`${terminal.token}x`, terminal.token.slice(0, -1), `pagewire-terminal.${terminal.id}`, terminal.id];
  for (const token of [...forged, "x", hub.token, app, "pagewire-terminal."]) {
    const answer = await delegate(hub, { ...terminal, token });
    expect(toldIn(answer), token).toEqual([401, "token-invalid", "Invalid workspace token"]);
  }
  expect(toldIn(await delegate(hub, ended))).toEqual([401, "token-expired", "Workspace token expired"]);
  for (const Authorization of ["", "Basic eA==", terminal.token, "Bearer"]) {
    const answer = await delegate(hub, terminal, { headers: { Authorization } });
    expect(toldIn(answer), Authorization).toEqual([401, "token-required", "Missing workspace token"]);
  }
  await page.settled();
  expect(page.calls).toEqual([]);
});

test("DL9: a page is no program in a terminal, also with a good token", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  for (const Origin of [hub.url, "https://shop.example", "https://evil.example", "null"]) {
    for (const path of ["", "/stream", "/actions"]) {
      const answer = await delegate(hub, terminal, { headers: { Origin }, path });
      expect([answer.status, answer.json["code"]], `${Origin} ${path}`).toEqual([403, "origin-not-allowed"]);
      expect([...Object.keys(answer.headers)].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  }
  expect(page.calls).toEqual([]);
});

test("DL10: in jwt mode it is no token of a page or an agent either", async () => {
  const hub = await startHub({ jwt: { secret } });
  const token = await signAgentToken({ secret, subject: "ann" });
  const terminal = await openTerminal({ url: hub.url, token });
  const page = await openPage(hub.url);
  page.send(helloOf({ token: terminal.token }));
  expect(await page.verdict()).toBe("token-invalid");
  const answer = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${terminal.token}` } });
  expect(answer.status).toBe(401);
});

test("DL36: in jwt mode a terminal reaches only its own user's tabs, and other users' terminals are unreachable", async () => {
  const hub = await startHub({ jwt: { secret } });
  const of = async (subject: string) => ({ url: hub.url, token: await signAgentToken({ secret, subject }) });
  const [ann, bob] = [await of("ann"), await of("bob")];
  const pageOf = async (subject: string) => connectPage(hub.url, { token: await signPageToken({ secret, subject }) });
  const [anns, bobs] = [await pageOf("ann"), await pageOf("bob")];
  const mine = await openTerminal(ann, anns.tabId);
  const attach = (owner: typeof ann, id: string, tab: string) =>
    askTerminals(owner, `POST /api/terminals/${id}/attach`, { tab });
  expect(await attach(ann, mine.id, bobs.tabId)).toMatchObject({
    status: 404,
    body: { error: { code: "tab-not-found" } },
  });
  for (const answer of [
    await attach(bob, mine.id, bobs.tabId),
    await askTerminals(bob, `DELETE /api/terminals/${mine.id}`),
  ])
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "terminal-not-found" } } });
  const theirs = await openTerminal(bob, bobs.tabId);
  for (const browser_id of [theirs.id, bobs.tabId])
    expect((await delegate(ann, mine, { fields: { browser_id } })).status).toBe(403);
  expect((await delegate(ann, mine)).status).toBe(200);
  expect([anns.calls.length, bobs.calls.length]).toEqual([1, 0]);
});
