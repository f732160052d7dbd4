// Which user a page acts for, and what happens to its tools when that changes.
import { expect, test } from "vitest";
import { linkCloseReason } from "../../wire/index.ts";
import { call, connectedPage, deferred, endings, openPage } from "../test-support/page-under-test.test-helper.ts";

/** A token as an app's server signs it; only its claims matter to a page. */
function tokenOf(claims: object): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part(claims)}.signature-${JSON.stringify(claims).length}`;
}

const alice = tokenOf({ sub: "alice", exp: 1 });
const bob = tokenOf({ sub: "bob", exp: 1 });
const work = { name: "work", execute: () => "done" };

test("a page whose user signs out says goodbye for good at once, ends what runs, and makes no connection", async () => {
  const held = deferred<string>();
  let signal: AbortSignal | undefined;
  const hold = {
    name: "work",
    execute(_: unknown, context: { readonly signal: AbortSignal }) {
      ({ signal } = context);
      return held.promise;
    },
  };
  const page = await connectedPage({ token: alice, tools: [hold] });
  await call(page, page.hub);
  page.page.setToken(null);
  expect(signal?.aborted).toBe(true);
  await page.browser.clock.advance(60_000);
  expect(page.hub.heard("bye")).toMatchObject([{ final: true }]);
  expect(page.hub.closing).toEqual(linkCloseReason("normal"));
  expect(endings(page.hub)).toEqual([]);
  expect(page.browser.hub.ends).toHaveLength(1);
  expect(page.page.state).toEqual({
    status: "signed-out",
    message: "Nobody is signed in. This page offers no tools.",
  });
});

test("a page that starts signed out makes no connection, and takes its tools to whoever signs in", async () => {
  const page = openPage({ token: null, tools: [work] });
  await page.browser.clock.advance(60_000);
  await page.document.wake();
  page.page.reconnect();
  expect([page.browser.hub.ends, page.loaded, page.page.state.status]).toEqual([[], [], "signed-out"]);
  page.page.setToken(bob);
  await page.browser.clock.advance(0);
  const hub = await page.browser.hub.welcome();
  expect(hub.heard("hello")).toMatchObject([{ token: bob }]);
  expect(JSON.parse(hub.heard("offer")[0]?.payload ?? "")).toMatchObject({ tools: [{ name: "work" }] });
});

test("another person's token moves the tools at once: goodbye on the old link, the same tab on a new one", async () => {
  const page = await connectedPage({ token: alice, tools: [work] });
  page.page.setToken(bob);
  await page.browser.clock.advance(0);
  expect(page.hub.types.at(-1)).toBe("bye");
  const next = await page.browser.hub.welcome("tab-of-bob");
  const [before, after] = [page.hub, next].map((hub) => hub.heard("hello")[0]);
  expect([before?.token, after?.token]).toEqual([alice, bob]);
  expect([after?.tab, after?.running]).toEqual([before?.tab, []]);
  expect(page.page.state).toMatchObject({ status: "connected", tabId: "tab-of-bob" });
});

test("what a call of the first person still says is not told to the second", async () => {
  const held = deferred<string>();
  const page = await connectedPage({
    token: alice,
    tools: [
      {
        name: "work",
        async execute(_, { progress }) {
          await held.promise;
          progress(1);
          return "a secret of alice's";
        },
      },
    ],
  });
  await call(page, page.hub);
  page.page.setToken(bob);
  await page.browser.clock.advance(0);
  const next = await page.browser.hub.welcome("tab-of-bob");
  held.resolve("now");
  await page.browser.clock.advance(1000);
  expect(next.types).toEqual(["hello", "offer"]);
});

test("a fresh token of the same person disturbs nothing, and is used for the next hello", async () => {
  const held = deferred<string>();
  const page = await connectedPage({ token: alice, tools: [{ name: "work", execute: () => held.promise }] });
  const fresh = tokenOf({ sub: "alice", exp: 2 });
  await call(page, page.hub);
  page.page.setToken(fresh);
  held.resolve("done");
  await page.browser.clock.advance(0);
  expect(endings(page.hub)).toHaveLength(1);
  await page.hub.close({ code: 1006, reason: "cut off" });
  await page.browser.clock.advance(500);
  expect(page.browser.hub.end.heard("hello")).toMatchObject([{ token: fresh }]);
});

test("a page that was refused tries a fresh token at once", async () => {
  const page = await connectedPage({ token: alice });
  await page.hub.say({ type: "refused", code: "token-expired", message: "The token has ended." });
  await page.hub.close();
  expect(page.page.state.status).toBe("refused");
  page.page.setToken(tokenOf({ sub: "alice", exp: 2 }));
  await page.browser.clock.advance(0);
  expect(page.browser.hub.ends).toHaveLength(2);
});

test("tokens that a page cannot read, and ones for another app, count as another person's", async () => {
  const pairs = [
    ["opaque-one", "opaque-two"],
    [alice, "not.a%token.at-all"],
    [tokenOf({}), tokenOf({ exp: 1 })],
    [tokenOf({ sub: "alice", app: "shop" }), tokenOf({ sub: "alice", app: "till" })],
    [tokenOf({ sub: "alice", iss: "one" }), tokenOf({ sub: "alice", iss: "two" })],
  ] as const;
  for (const [token, next] of pairs) {
    const page = await connectedPage({ token });
    page.page.setToken(token);
    await page.browser.clock.advance(0);
    expect(page.browser.hub.ends).toHaveLength(1);
    page.page.setToken(next);
    await page.browser.clock.advance(0);
    expect(page.browser.hub.ends).toHaveLength(2);
  }
});

test("an empty token is none: nobody is signed in, from the start or from then on", async () => {
  const page = openPage({ token: "", tools: [work] });
  await page.browser.clock.advance(60_000);
  expect([page.browser.hub.ends, page.page.state.status]).toEqual([[], "signed-out"]);
  page.page.setToken(alice);
  await page.browser.clock.advance(0);
  const hub = await page.browser.hub.welcome();
  page.page.setToken("");
  await page.browser.clock.advance(60_000);
  expect(hub.heard("bye")).toMatchObject([{ final: true }]);
  expect([page.browser.hub.ends.length, page.page.state.status]).toEqual([1, "signed-out"]);
});

test("another function is another person's, whatever it gets", async () => {
  const page = await connectedPage({ token: () => alice });
  page.page.setToken(async () => bob);
  await page.browser.clock.advance(0);
  expect(page.hub.heard("bye")).toMatchObject([{ final: true }]);
  expect(page.browser.hub.end.heard("hello")).toMatchObject([{ token: bob }]);
});

test("the same token again makes no other link, also before there is one", async () => {
  for (const token of ["opaque", alice, () => alice]) {
    const page = openPage({ token });
    page.page.setToken(token);
    await page.browser.clock.advance(0);
    page.page.setToken(token);
    await page.browser.hub.welcome();
    page.page.setToken(token);
    await page.browser.clock.advance(0);
    expect(page.browser.hub.ends.map(({ types }) => types)).toEqual([["hello", "offer"]]);
  }
});

test("signing in and out after the page was closed does nothing", async () => {
  const page = await connectedPage({ token: alice });
  page.page.close();
  page.page.setToken(bob);
  page.page.setToken(null);
  await page.browser.clock.advance(60_000);
  expect([page.browser.hub.ends.length, page.page.state.status]).toEqual([1, "closed"]);
});

test("who signs in and out again before the page has a link leaves no link behind", async () => {
  const page = openPage({ token: alice });
  page.page.setToken(bob);
  page.page.setToken(null);
  await page.browser.clock.advance(60_000);
  expect(page.browser.hub.ends.filter(({ closing }) => closing === undefined)).toEqual([]);
  expect(page.browser.hub.ends.flatMap(({ types }) => types)).toEqual([]);
});
