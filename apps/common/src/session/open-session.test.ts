import { PagewireError } from "pagewire/wire";
import { expect, test } from "vitest";
import { openSession } from "./open-session.ts";
import { createFakeHub } from "./session.test-helper.ts";

function createUser(options?: Parameters<typeof createFakeHub>[0]) {
  const hub = createFakeHub(options);
  hub.tokens.set("t1", "me");
  return hub;
}

test("a code becomes a token once, which the next load uses", async () => {
  const hub = createUser();
  hub.codes.set("code", "t1");
  const session = await openSession("code", hub.parts);
  expect([await session.bearer(), session.info.principal, session.isKept]).toEqual(["t1", "me", true]);
  const again = await openSession(undefined, hub.parts);
  expect(await again.bearer()).toBe("t1");
  expect(hub.asked).toEqual(["POST /api/sign-in", "GET /api/app", "GET /api/app"]);
});

test("where the browser keeps nothing the token lasts for the document, which knows it", async () => {
  const hub = createUser({ keeps: false });
  hub.codes.set("code", "t1");
  const session = await openSession("code", hub.parts);
  expect(session.isKept).toBe(false);
  expect(await session.request("GET", "/api/conversations")).toEqual({ of: "me" });
  await expect(openSession(undefined, hub.parts)).rejects.toMatchObject({ code: "token-required" });
});

test("a used code does not affect a signed-in user, and is an error for others", async () => {
  const hub = createUser();
  await expect(openSession("used", hub.parts)).rejects.toMatchObject({ code: "code-invalid" });
  hub.keep("t1");
  expect(await (await openSession("used", hub.parts)).bearer()).toBe("t1");
});

test("with a code that is not good and a sign-in that has ended, the reason is the code's", async () => {
  const hub = createUser();
  hub.keep("ended");
  await expect(openSession("used", hub.parts)).rejects.toMatchObject({ code: "code-invalid" });
  expect(hub.token).toBeUndefined();
});

test("a new sign-in replaces the former one, which is ended on the hub", async () => {
  const hub = createUser();
  hub.keep("t1");
  hub.tokens.set("t2", "you");
  hub.codes.set("code", "t2");
  const session = await openSession("code", hub.parts);
  expect([session.info.principal, hub.token]).toEqual(["you", "t2"]);
  await expect.poll(() => hub.tokens.has("t1")).toBe(false);
});

test("another user's link replaces a sign-in only with its user's consent, and is ended otherwise", async () => {
  const hub = createUser({ switches: false });
  hub.keep("t1");
  hub.tokens.set("t2", "you");
  hub.codes.set("code", "t2");
  const session = await openSession("code", hub.parts);
  expect([session.info.principal, await session.bearer(), hub.token]).toEqual(["me", "t1", "t1"]);
  expect(hub.asked).toContain("me or you?");
  await expect.poll(() => [...hub.tokens.keys()]).toEqual(["t1"]);
});

test("a link of one's own asks nothing, nor does one where the former sign-in has ended", async () => {
  const hub = createUser({ switches: false });
  for (const former of ["t1", "gone"]) {
    hub.keep(former);
    hub.tokens.set("t2", "me");
    hub.codes.set("code", "t2");
    expect(await (await openSession("code", hub.parts)).bearer()).toBe("t2");
  }
  expect(hub.asked.filter((asked) => asked.endsWith("?"))).toEqual([]);
});

test("a token that the hub no longer knows closes the session, and the next load forgets it", async () => {
  const hub = createUser();
  hub.keep("gone");
  await expect(openSession(undefined, hub.parts)).rejects.toMatchObject({ code: "token-invalid" });
  expect(hub.token).toBeUndefined();

  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.tokens.clear();
  await expect(session.request("GET", "/api/conversations")).rejects.toMatchObject({ code: "token-invalid" });
  expect(await session.ended).toMatchObject({ code: "token-invalid" });
  expect(hub.listeners.size).toBe(0);
  await expect(openSession(undefined, hub.parts)).rejects.toMatchObject({ code: "token-invalid" });
  expect(hub.token).toBeUndefined();
});

test("of two tabs that the hub refuses neither says that the user signed out in the other", async () => {
  const hub = createUser();
  hub.keep("t1");
  const sessions = [await openSession(undefined, hub.parts), await openSession(undefined, hub.parts)];
  hub.tokens.clear();
  const asking = sessions.map((session) => session.request("GET", "/api/conversations").catch(() => {}));
  await Promise.all(asking);
  const whys = await Promise.all(sessions.map(({ ended }) => ended));
  expect(whys.map(({ code }) => code)).toEqual(["token-invalid", "token-invalid"]);
});

test("a hub that is down, or that refuses something else, does not sign the user out", async () => {
  const hub = createUser();
  hub.keep("t1");
  hub.down();
  await expect(openSession(undefined, hub.parts)).rejects.toMatchObject({ code: "hub-unreachable" });
  hub.up();
  const session = await openSession(undefined, hub.parts);
  hub.down();
  await expect(session.refresh()).rejects.toMatchObject({ code: "hub-unreachable" });
  hub.up();
  expect(await session.refresh()).toMatchObject({ principal: "me" });
  expect(hub.token).toBe("t1");
});

test("when another tab signs out this one does", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.writeElsewhere(undefined);
  expect((await session.ended).message).toContain("another tab");
});

test("when another tab signs in again, the same user continues with the new token", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.tokens.set("t2", "me");
  hub.writeElsewhere("t2");
  await expect.poll(() => session.bearer()).toBe("t2");
  expect(hub.token).toBe("t2");
});

test("a refusal that comes before the news of another tab's token is tried again with that one", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.tokens.delete("t1");
  hub.tokens.set("t2", "me");
  hub.keep("t2");
  expect(await session.request("GET", "/api/conversations")).toEqual({ of: "me" });
  expect(await session.bearer()).toBe("t2");
});

test("a refusal that comes before the news that another tab signed out ends with that news", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.tokens.delete("t1");
  const refused = session.request("GET", "/api/conversations");
  await expect.poll(() => hub.listeners.size).toBe(2);
  hub.writeElsewhere(undefined);
  await expect(refused).rejects.toMatchObject({ code: "token-invalid" });
  expect((await session.ended).message).toContain("another tab");
  expect(hub.listeners.size).toBe(0);
});

test("when another tab signs in as another user, this one shows nothing more, and does not end that sign-in", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.tokens.set("t2", "you");
  hub.writeElsewhere("t2");
  expect((await session.ended).message).toContain("you");
  expect(hub.token).toBe("t2");
});

test("signing out takes the token back at the hub and in the browser", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  await session.signOut();
  expect((await session.ended).message).toBe("You signed out.");
  expect([hub.tokens.size, hub.token]).toEqual([0, undefined]);
});

test("a sign-out that cannot reach the hub says so", async () => {
  const hub = createUser();
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.down();
  await session.signOut();
  expect((await session.ended).message).toContain("The hub could not be reached");
  expect(hub.token).toBeUndefined();
});

test("at a hub of a team a person whom it knows by its cookie is signed in, also where an earlier sign-in has ended", async () => {
  for (const kept of [undefined, "ended"]) {
    const hub = createUser({ isTeams: true });
    if (kept !== undefined) hub.keep(kept);
    hub.setCookie("t1");
    const session = await openSession(undefined, hub.parts);
    expect([await session.bearer(), hub.token]).toEqual(["t1", "t1"]);
    expect(session.info.me).toEqual({ organisation: "acme", name: "Name of me", isAdmin: true });
  }
});

test("a page of a person whose sign-in has ended waits for another one, and then sends what it could not send", async () => {
  const hub = createUser({ isTeams: true });
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  hub.tokens.delete("t1");
  const sent = Promise.all(["a", "b"].map((name) => session.request("POST", `/api/${name}`)));
  await expect.poll(() => hub.asked.filter((each) => each === "sign in again?")).toHaveLength(1);
  hub.writeElsewhere(undefined);
  hub.tokens.set("t2", "me");
  hub.writeElsewhere("t2");
  expect(await sent).toEqual([{ of: "me" }, { of: "me" }]);
  expect(await session.bearer()).toBe("t2");
});

test("a person may leave the page, or sign in as someone else, who sees nothing of it", async () => {
  for (const end of ["leave", "another"]) {
    const hub = createUser({ isTeams: true });
    hub.keep("t1");
    const session = await openSession(undefined, hub.parts);
    hub.tokens.delete("t1");
    const sent = session.request("GET", "/api/a");
    await expect.poll(() => hub.asked).toContain("sign in again?");
    hub.tokens.set("t2", "you");
    if (end === "leave") hub.leave();
    else hub.writeElsewhere("t2");
    await expect(sent).rejects.toMatchObject({ code: "token-invalid" });
    expect(PagewireError.isInstance(await session.ended)).toBe(true);
  }
});

test("who signs out at a hub of a team goes to their identity provider to sign out there, too", async () => {
  const hub = createUser({ isTeams: true });
  hub.keep("t1");
  const session = await openSession(undefined, hub.parts);
  await session.signOut();
  expect(hub.asked.at(-1)).toBe("leave for https://id.test/logout");
});
