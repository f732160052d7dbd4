// Tokens that change at the wrong moment: in a listener, between a hello and its welcome, before the old one expires.
import { expect, test, vi } from "vitest";
import { closeReason, linkCloseReason } from "../../wire/index.ts";
import { call, connectedPage, openPage } from "../test-support/page-under-test.test-helper.ts";
import type { PageState } from "../api/page.ts";

/** A token as an app's server signs it; only its claims matter to a page. */
function tokenOf(claims: object): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part(claims)}.signature`;
}

const alice = tokenOf({ sub: "alice", exp: 1 });
const freshAlice = tokenOf({ sub: "alice", exp: 2 });
const bob = tokenOf({ sub: "bob", exp: 1 });
const carol = tokenOf({ sub: "carol", exp: 1 });

type Connected = Awaited<ReturnType<typeof connectedPage>>;

/** The hub has the last link end, because the token that it was opened with is over. */
async function expire({ browser }: Pick<Connected, "browser">): Promise<void> {
  const { end } = browser.hub;
  await end.say({ type: "refused", code: "token-expired", message: "The token is too old." });
  await end.close(closeReason("token-expired"));
}

test("an old token that expires after a fresh one came disturbs nothing either: the page comes back with the fresh one", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const page = await connectedPage({ token: alice });
  const states = page.states.length;
  page.page.setToken(freshAlice);
  await expire(page);
  const { end } = page.browser.hub;
  expect([end === page.hub, end.heard("hello")[0]?.token]).toEqual([false, freshAlice]);
  await page.browser.hub.welcome();
  expect(page.states.slice(states).map(({ status }) => status)).toEqual(["connected"]);
  expect([page.browser.clock.now(), warn.mock.calls]).toEqual([0, []]);
  await expire(page);
  expect([page.page.state, warn.mock.calls.length]).toMatchObject([{ status: "refused", code: "token-expired" }, 1]);
  warn.mockRestore();
});

test("a page that gets its tokens comes back with the next one, and is refused where that is too old, too", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  let asked = 0;
  const page = await connectedPage({ token: () => (++asked === 1 ? alice : freshAlice) });
  await expire(page);
  expect([page.page.state.status, asked]).toEqual(["connected", 2]);
  await expire(page);
  expect([page.page.state, asked, warn.mock.calls.length]).toMatchObject([{ status: "refused" }, 2, 1]);
  warn.mockRestore();
});

test("who signs out while the state is told has no connection, least of all one without a token", async () => {
  const page = await connectedPage({ token: alice });
  page.page.onState(({ status }) => status === "connecting" && page.page.setToken(null));
  const others: PageState["status"][] = [];
  page.page.onState(({ status }) => others.push(status));
  page.page.setToken(bob);
  await page.browser.clock.advance(60_000);
  expect([page.page.state.status, others.at(-1)]).toEqual(["signed-out", "signed-out"]);
  for (const end of page.browser.hub.ends) {
    expect([end.heard("hello").map(({ token }) => token), end.closing]).toEqual([
      end === page.hub ? [alice] : [],
      linkCloseReason("normal"),
    ]);
  }
});

test.each([
  ["another signs in", carol, [carol]],
  ["the page is closed", undefined, []],
])("where a call that is aborted has it that %s, nobody else is connected", async (_, next, hellos) => {
  const page = await connectedPage({
    token: alice,
    tools: [
      {
        name: "work",
        execute: (_input, { signal }) =>
          new Promise(() =>
            signal.addEventListener("abort", () => (next ? page.page.setToken(next) : page.page.close())),
          ),
      },
    ],
  });
  await call(page, page.hub);
  page.page.setToken(bob);
  await page.browser.clock.advance(60_000);
  const open = page.browser.hub.ends.filter(({ closing }) => closing === undefined);
  expect(open.flatMap((end) => end.heard("hello").map(({ token }) => token))).toEqual(hellos);
});

test("who signs out before the hub welcomed the page says goodbye all the same, once hello was said", async () => {
  const page = openPage({ token: alice });
  await page.browser.clock.advance(0);
  const { end } = page.browser.hub;
  page.page.setToken(null);
  await page.browser.clock.advance(0);
  expect(end.types).toEqual(["hello", "bye"]);
  expect(end.heard("bye")).toMatchObject([{ final: true }]);

  const early = openPage({ token: () => new Promise(() => {}) });
  await early.browser.clock.advance(0);
  early.page.close();
  await early.browser.clock.advance(0);
  expect(early.browser.hub.end.types).toEqual([]);
});
