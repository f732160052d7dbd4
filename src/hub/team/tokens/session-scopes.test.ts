import { expect, test } from "vitest";
import { form, round, accept, capabilities } from "../../doors/mcp/test-support/mcp-rounds.test-helper.ts";
import { openSession, sendRaw } from "../../doors/mcp/test-support/raw-mcp.test-helper.ts";
import { startIssuerHub } from "../test-support/issuer-hub.test-helper.ts";
import type { PageCall } from "../../doors/mcp/test-support/mcp-page.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";

const wipe = { name: "wipe", arguments: {} };
const bearer = ({ token }: TestHub) => ({ Authorization: `Bearer ${token}` });
const callOf = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: wipe });
const ping = { jsonrpc: "2.0", id: 99, method: "ping" };
const done = { result: { content: [{ text: "done" }] } };

/** A page that asks before it destroys. */
const asking = async (call: PageCall) => {
  const answer = await call.ask("elicitation/create", form("Really?"), "really");
  call.say(JSON.stringify(answer));
};

test("OA23: in one session, every call is held to the token that its own request brought", async () => {
  const hub = await startIssuerHub();
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  const session = await openSession(wide);
  let id = 0;
  const wipeAs = async (who: TestHub) => (await session.send(callOf(++id), bearer(who)).whole()).status;
  expect([await wipeAs(narrow), await wipeAs(wide), await wipeAs(narrow), await wipeAs(wide)]).toEqual([
    403, 200, 403, 200,
  ]);
  expect(hub.page.calls).toHaveLength(2);
});

test("OA23: a call that waits keeps the scopes with which it was begun, whatever comes in between", async () => {
  const hub = await startIssuerHub();
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  const session = await openSession(narrow);
  const watcher = await openSession(wide, { client: "watcher" });
  hub.page.socket.terminate();
  await hub.page.closed;
  await expect
    .poll(async () => {
      const listed = await watcher.request("tools/call", { name: "list_browser_tabs", arguments: {} }).whole();
      return listed.text;
    })
    .toContain("away");
  const running = session.send(callOf(1), bearer(wide));
  await expect.poll(() => hub.metric("pagewire_calls_in_flight", wide.token)).toBe(1);
  expect((await session.send(ping, bearer(narrow)).whole()).status).toBe(200);
  const other = await hub.connect("tab-2");
  expect((await running.whole()).messages.at(-1)).toMatchObject(done);
  expect(other.calls).toHaveLength(1);
});

test("OA23: in a session, only a token that may make a call may answer a question about it", async () => {
  const hub = await startIssuerHub({}, (call) => void asking(call));
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  const session = await openSession(wide, { capabilities });
  const running = session.send(callOf(1), bearer(wide));
  const question = await running.next();
  const answer = { jsonrpc: "2.0", id: question?.id, result: accept("ada") };
  const refused = await session.send(answer, bearer(narrow)).whole();
  expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
    403,
    expect.stringContaining('scope="tools tools:destructive"'),
  ]);
  expect((await session.send(answer, bearer(wide)).whole()).status).toBe(202);
  const said = { content: [{ text: JSON.stringify(accept("ada")) }] };
  expect(await running.next()).toMatchObject({ result: said });
});

test("OA23: in rounds, only a token that may make a call may answer a question about it", async () => {
  const hub = await startIssuerHub({}, (call) => void asking(call));
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  const asked = await round(wide, undefined, { params: wipe });
  expect(asked.result).toMatchObject({ resultType: "input_required" });
  const responses = { really: accept("ada") };
  const refused = await round(narrow, asked, { params: wipe, responses });
  expect([refused.status, refused.error?.data]).toMatchObject([403, { "pagewire/code": "scope-needed" }]);
  const answered = await round(wide, asked, { params: wipe, responses });
  expect(answered.result).toMatchObject({ content: [{ text: JSON.stringify(accept("ada")) }] });
  expect(hub.page.calls).toHaveLength(1);
});

test("OA23: a token that may not make a call does not join it by its key, and gets nothing of what came of it", async () => {
  const hub = await startIssuerHub({}, () => {});
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  const json = { "Content-Type": "application/json" };
  const keyed = { ...json, "Idempotency-Key": "once" };
  const wipeAs = (who: TestHub, headers: Readonly<Record<string, string>> = keyed) =>
    sendRaw(who, { path: "/api/call/wipe", headers, body: {} }).whole();
  const refusal = async (ran: string, headers?: Readonly<Record<string, string>>) => {
    const { status, text } = await wipeAs(narrow, headers);
    expect([status, JSON.parse(text)]).toEqual([
      403,
      expect.objectContaining({ ran, error: expect.objectContaining({ code: "scope-needed" }) }),
    ]);
  };
  await refusal("no", json);
  const running = wipeAs(wide);
  const call = await hub.page.nextCall();
  await refusal("maybe");
  call.say("done");
  expect((await running).status).toBe(200);
  await refusal("maybe");
  expect((await wipeAs(wide)).status).toBe(200);
  expect(hub.page.calls).toHaveLength(1);
});

test("OA23: a question about a call that any token may make can be answered with any", async () => {
  const hub = await startIssuerHub({}, (call) => void asking(call));
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  const look = { name: "look", arguments: {} };
  const asked = await round(narrow, undefined, { params: look });
  const answered = await round(wide, asked, { params: look, responses: { really: accept("ada") } });
  expect(answered.result).toMatchObject({ content: [{ text: JSON.stringify(accept("ada")) }] });
});
