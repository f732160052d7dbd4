import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { answerTo } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import { makeFolder, openTestStore } from "../../store/test-support/store-contract.test-helper.ts";
import {
  askTerminals,
  beginDelegate,
  delegate,
  openBoth,
  openStream,
  openTerminal,
  sayChunk,
  toldIn,
} from "./delegate.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const expired = [401, "token-expired", "Workspace token expired"];
const nowhere = [502, "browser-missing", "No browser client connected to this workspace"];

test("DL28: an agent that creates a terminal gets its token once", async () => {
  const hub = await startHub();
  const { status, headers, body } = await askTerminals(hub, "POST /api/terminals", { name: "Werkstatt 𝄞" });
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    token: expect.stringMatching(/^pagewire-terminal\.[\w-]{43}$/),
    name: "Werkstatt 𝄞",
    createdAt: expect.any(Number),
  });
  expect((await askTerminals(hub, "POST /api/terminals", {})).body).toMatchObject({ name: "terminal" });
  for (const name of ["", 7, null, "a\nb", "\u001b[31m", "\u202e", "x".repeat(129), ["x"]])
    expect(errorOf(await askTerminals(hub, "POST /api/terminals", { name })), JSON.stringify(name)).toEqual([
      400,
      "request-malformed",
    ]);
  const raw = (body?: string, more = {}) =>
    askOwn(hub, "POST /api/terminals", {
      token: hub.token,
      origin: undefined,
      ...(body === undefined ? {} : { body }),
      ...more,
    });
  for (const text of ["", "{", "[]", "7"]) expect(errorOf(await raw(text))).toEqual([400, "request-malformed"]);
  expect(errorOf(await raw("{}", { headers: { "Content-Type": "text/plain" } }))).toEqual([400, "request-malformed"]);
  expect(errorOf(await raw(JSON.stringify({ name: "x".repeat(20_000) })))).toEqual([413, "body-too-large"]);
});

test("DL28: who signed in with a code makes no terminals, which would outlive the sign-in", async () => {
  const hub = await startHub();
  const token = await signIn(hub, hub.token);
  expect(errorOf(await askOwn(hub, "POST /api/terminals", { token, body: "{}" }))).toEqual([401, "token-invalid"]);
});

test("DL29: a terminal is in the tab that it was attached to last, and a call that runs stays where it is", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const other = await connectPage(hub.url, { tab: "tab-2" });
  const running = delegate(hub, terminal);
  const { id } = await page.nextCall();
  expect(await askTerminals(hub, `POST /api/terminals/${terminal.id}/attach`, { tab: other.tabId })).toMatchObject({
    status: 204,
    body: undefined,
  });
  expect((await delegate(hub, terminal)).json).toMatchObject({ result: "done" });
  expect(other.calls).toHaveLength(1);
  page.result(id, '{"content":[{"type":"text","text":"from the first"}]}');
  expect((await running).json).toMatchObject({ result: "from the first" });
});

test("DL29: a missing tab or terminal is a named error, with a list of the open tabs", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { title: "My shop" });
  const attach = (id: string, tab: unknown) => askTerminals(hub, `POST /api/terminals/${id}/attach`, { tab });
  for (const tab of ["none", "", "tab-1", "__proto__"]) {
    const answer = await attach(terminal.id, tab);
    expect(errorOf(answer)).toEqual([404, "tab-not-found"]);
    expect(JSON.stringify(answer.body)).toContain(`${page.tabId} (My shop)`);
  }
  for (const tab of [undefined, null, 7, [page.tabId]])
    expect(errorOf(await attach(terminal.id, tab))).toEqual([400, "request-malformed"]);
  for (const id of ["none", "__proto__", terminal.id.slice(1)])
    expect(errorOf(await attach(id, page.tabId)), id).toEqual([404, "terminal-not-found"]);
  for (const path of ["", "/", "/attach/", "/attach/x", "/detach"])
    expect(
      errorOf(await askTerminals(hub, `POST /api/terminals/${terminal.id}${path}`, { tab: page.tabId })),
      path,
    ).toEqual([404, "route-not-found"]);
  expect(errorOf(await askTerminals(hub, "POST /api/terminals//attach", { tab: page.tabId }))).toEqual([
    404,
    "route-not-found",
  ]);
  // It is still where it was.
  expect((await delegate(hub, terminal)).status).toBe(200);
  expect(await hub.metric("pagewire_agents")).toBe(1);
});

test("DL30: an ended terminal's token is worth nothing, and its open calls are cut off and cancelled", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const other = await openTerminal(hub, page.tabId);
  const whole = answerTo(beginDelegate(hub, terminal)).catch(() => "cut off");
  const first = await page.nextCall();
  const opening = openStream(hub, terminal);
  const second = await page.nextCall();
  sayChunk(page, second.id, "one");
  const stream = await opening;
  await stream.next();
  const theirs = delegate(hub, other);
  const third = await page.nextCall();
  expect((await askTerminals(hub, `DELETE /api/terminals/${terminal.id}`)).status).toBe(204);
  expect(await whole).toBe("cut off");
  await expect(stream.next()).rejects.toThrow();
  const cancelled = [(await page.next("cancel")).frame.id, (await page.next("cancel")).frame.id];
  expect(cancelled.toSorted()).toEqual([first.id, second.id].toSorted());
  page.result(third.id, plainResult);
  expect((await theirs).status).toBe(200);
  expect(toldIn(await delegate(hub, terminal))).toEqual(expired);
  expect(errorOf(await askTerminals(hub, `DELETE /api/terminals/${terminal.id}`))).toEqual([404, "terminal-not-found"]);
});

test("rotating the agent token ends the terminals created with it, and their calls", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const running = answerTo(beginDelegate(hub, terminal)).catch(() => "cut off");
  const { id } = await page.nextCall();
  hub.rotate("another-token-of-this-test");
  expect(await running).toBe("cut off");
  expect((await page.next("cancel")).frame.id).toBe(id);
  expect(toldIn(await delegate(hub, terminal))).toEqual(expired);
  expect(errorOf(await askTerminals(hub, `DELETE /api/terminals/${terminal.id}`))).toEqual([404, "terminal-not-found"]);
  recordFault("hub", {
    fault: "The agents' token rotated while a program of a terminal waited for its tab",
    expected: "cut off within a second, and the call cancelled",
    observed: "cut off within a second, and the call cancelled",
    count: 1,
  });
});

test("a terminal's token is good for the next hub, and neither files nor logs hold it, or what was said with it", async () => {
  const folder = makeFolder();
  const options = { store: () => openTestStore(join(folder, "hub.db")) };
  const before = await startHub(options);
  const { terminal } = await openBoth(before);
  await delegate(before, terminal, { fields: { password: "an-argument" } });
  await delegate(before, { ...terminal, token: "pagewire-terminal.a-guess" });
  await before.close();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join();
  expect(written).toContain(terminal.id);
  for (const text of [written, JSON.stringify(before.records)])
    for (const word of [terminal.token.slice(-43), before.token, "an-argument", "a-guess"])
      expect(text).not.toContain(word);
  expect(before.records).toContainEqual(
    expect.objectContaining({ event: "terminal-made", terminal: terminal.id, madeWith: "agent" }),
  );
  const after = await startHub(options);
  const page = await connectPage(after.url);
  expect(toldIn(await delegate(after, terminal))).toEqual(nowhere);
  await askTerminals(after, `POST /api/terminals/${terminal.id}/attach`, { tab: page.tabId });
  expect((await delegate(after, terminal)).status).toBe(200);
});

test("a terminal too many is refused by name", async () => {
  const hub = await startHub({ limits: { terminalsPerPrincipal: 2 } });
  for (const _ of [1, 2]) await openTerminal(hub);
  const answer = await askTerminals(hub, "POST /api/terminals", {});
  expect(errorOf(answer)).toEqual([429, "terminals-too-many"]);
  expect(JSON.stringify(answer.body)).toContain("terminalsPerPrincipal");
});

test("DL36: in jwt mode a terminal ends with the token that made it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const hub = await startHub({ jwt: { secret } });
    const owner = { url: hub.url, token: await signAgentToken({ secret, subject: "ann", expiresIn: 60 }) };
    const page = await connectPage(hub.url, { token: await signPageToken({ secret, subject: "ann" }) });
    const terminal = await openTerminal(owner, page.tabId);
    expect((await delegate(hub, terminal)).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect(toldIn(await delegate(hub, terminal))).toEqual(expired);
  } finally {
    vi.useRealTimers();
  }
});
