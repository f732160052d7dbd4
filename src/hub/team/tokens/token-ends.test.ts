import { afterEach, expect, test, vi } from "vitest";
import { modern, openSession, sendRaw } from "../../doors/mcp/test-support/raw-mcp.test-helper.ts";
import type { RawSession } from "../../doors/mcp/test-support/raw-mcp.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { startIssuerHub } from "../test-support/issuer-hub.test-helper.ts";

afterEach(() => void vi.useRealTimers());

/** A hub at which time passes as the test wants. */
function startLater(...given: Parameters<typeof startIssuerHub>) {
  vi.useFakeTimers({ toFake: ["Date"] });
  return startIssuerHub(...given);
}

/** The present tokens expire, and the hub looks through all that it has. */
function expireAll(hub: TestHub): void {
  vi.setSystemTime(Date.now() + 70_000);
  hub.allow("https://another.example");
}

const bearer = ({ token }: TestHub) => ({ Authorization: `Bearer ${token}` });
const statusOf = async (session: RawSession, hub: TestHub) =>
  (await session.send({ jsonrpc: "2.0", id: 9, method: "ping" }, bearer(hub)).whole()).status;

test("M37: an idle session outlives its token, and goes on with the next one of its client", async () => {
  const hub = await startLater();
  const first = await hub.as("tools");
  const session = await openSession(first);
  expireAll(hub);
  expect(await statusOf(session, first)).toBe(401);
  expect(await statusOf(session, await hub.as("tools"))).toBe(200);
  // Of another client of the same person it is not.
  expect(await statusOf(session, await hub.as("tools", { client_id: "another" }))).toBe(404);
});

test("M37: a call that runs when its token expires has its one outcome", async () => {
  const hub = await startLater({}, () => {});
  const first = await hub.as("tools");
  const session = await openSession(first);
  const running = session.request("tools/call", { name: "look", arguments: {} });
  const call = await hub.page.nextCall();
  expireAll(hub);
  call.say("done");
  expect((await running.whole()).messages).toMatchObject([{ result: { content: [{ text: "done" }] } }]);
  expect(hub.page.calls).toHaveLength(1);
});

test("M37: ended access ends a session and its calls at once, also one whose token has expired", async () => {
  const hub = await startLater({}, () => {});
  const first = await hub.as("tools");
  const [session, idle] = [await openSession(first), await openSession(first)];
  const running = session.request("tools/call", { name: "look", arguments: {} });
  await hub.page.nextCall();
  expireAll(hub);
  const boss = await hub.as("admin", { sub: "eve", groups: ["boss"] });
  const end = { method: "DELETE", path: "/api/team/people/acme%2Fada/access" };
  const ended = sendRaw(boss, end).whole();
  await expect(running.whole()).rejects.toThrow();
  // Her pages connect again, too.
  expect(await hub.page.closeName()).toBe("token-expired");
  expect((await ended).status).toBe(204);
  vi.setSystemTime(Date.now() + 2000);
  const next = await hub.as("tools");
  expect([await statusOf(session, next), await statusOf(idle, next)]).toEqual([404, 404]);
});

test("M37: no stream begins with a token that has just ended, so that its client gets the next one first", async () => {
  const hub = await startIssuerHub();
  const session = await openSession(await hub.as("tools"));
  const justNow = Math.floor(Date.now() / 1000) - 1;
  const late = await hub.as("tools", { exp: justNow });
  const wanted = { notifications: { toolsListChanged: true } };
  const boss = await hub.as("admin", { sub: "eve", groups: ["boss"], exp: justNow });
  const read = (who: TestHub, path: string) => sendRaw(who, { method: "GET", path });
  const streams = [
    session.listen(bearer(late)),
    sendRaw(late, modern("subscriptions/listen", wanted)),
    read(late, "/api/calls/stream"),
    read(late, "/api/waits/stream"),
    read(boss, "/api/team/audit/stream"),
  ];
  for (const stream of streams) {
    const { status, headers } = await stream.whole();
    expect([status, headers["www-authenticate"]]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  }
});

test("M37: a call without a session that is cut off, and sent again with the next token, runs once", async () => {
  const hub = await startIssuerHub({}, () => {});
  const look = () => modern("tools/call", { name: "look", arguments: {} });
  const first = sendRaw(await hub.as("tools"), look());
  const cut = first.whole().catch((error: Error) => error.message);
  const call = await hub.page.nextCall();
  first.hangUp();
  expect(await cut).toMatch(/aborted|hang up/);
  const again = sendRaw(await hub.as("tools", { jti: "another" }), look()).whole();
  call.say("done");
  expect((await again).messages).toMatchObject([{ result: { content: [{ text: "done" }] } }]);
  expect(hub.page.calls).toHaveLength(1);
});
