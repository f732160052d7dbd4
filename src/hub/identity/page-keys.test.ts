import { expect, test } from "vitest";
import { mintShellCode, openView, startShellHub } from "../doors/shell/shell.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { askOwn, errorOf, mintCode } from "../test-support/own.test-helper.ts";
import { makeKey } from "../test-support/page-key.test-helper.ts";
import { createMemoryStore } from "../store/index.ts";

async function signInWith(hub: TestHub, key: string): Promise<string> {
  const body = JSON.stringify({ code: await mintCode(hub, hub.token), key });
  return String((await askOwn(hub, "POST /api/sign-in", { body })).body?.["token"]);
}

const statusOf = async (hub: TestHub, token: string) => (await askOwn(hub, "GET /api/app", { token })).status;

test("SI21: a page that signs in with a key is admitted by its signatures; its token alone is refused", async () => {
  const store = createMemoryStore();
  const hub = await startHub({ store: async () => store });
  const key = await makeKey(hub);
  const token = await signInWith(hub, key.key);
  const bearer = await key.bearer(token);
  expect([await statusOf(hub, token), await statusOf(hub, bearer), await statusOf(hub, bearer)]).toEqual([
    401, 200, 200,
  ]);
  expect(JSON.stringify([...(await store.records("app-sessions", "local"))])).not.toContain(token);
  expect((await askOwn(hub, "POST /api/sign-out", { token: bearer })).status).toBe(204);
  expect(await statusOf(hub, await key.bearer(token))).toBe(401);
});

test("a signature for another origin, by another key, for another hub's challenge or an expired one is refused", async () => {
  const store = createMemoryStore();
  const hub = await startHub({ store: async () => store });
  const [key, other] = [await makeKey(hub), await makeKey(hub)];
  const token = await signInWith(hub, key.key);
  const elsewhere = await startHub({ store: async () => store });
  const late = await startHub({ store: async () => store, limits: { proofTime: 0 } });
  const [theirs, old] = [await key.challengeOf(elsewhere), await key.challengeOf(late)];
  const wrong = [
    await key.bearer(token, { origin: "http://127.0.0.1:1" }),
    await other.bearer(token),
    await key.bearer(token, { challenge: theirs }),
    await key.bearer(token, { challenge: `${Date.now() + 60_000}.${"A".repeat(43)}` }),
    (await key.bearer(token)).replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
  ];
  for (const text of wrong) expect(await statusOf(hub, text)).toBe(401);
  expect(await statusOf(late, await key.bearer(token, { challenge: old }))).toBe(401);
  // The same store at another address: not the hub that the page's key belongs to.
  const theirOwn = await key.bearer(token, { challenge: theirs });
  expect([await statusOf(elsewhere, theirOwn), await statusOf(hub, await key.bearer(token))]).toEqual([401, 200]);
});

test("SI21: a key that is none is refused with the code, which is not used up", async () => {
  const hub = await startHub();
  const code = await mintCode(hub, hub.token);
  const tried = ["", "x", Buffer.alloc(65, 4).toString("base64url")].map((key) => ({ code, key }));
  for (const body of [...tried, { code, key: 1 }])
    expect(errorOf(await askOwn(hub, "POST /api/sign-in", { body: JSON.stringify(body) }))).toEqual([
      400,
      "request-malformed",
    ]);
  expect((await askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code }) })).status).toBe(200);
});

test("SI21: what opens terminals is bound to a key in the same way", async () => {
  const hub = await startShellHub();
  const key = await makeKey(hub);
  const first = await openView(hub, { code: await mintShellCode(hub), key: key.key });
  const token = String(first.pass?.token);
  const bearer = await key.bearer(token);
  const [alone, whole] = [await openView(hub, { token }), await openView(hub, { token: bearer })];
  expect([alone.pass, await alone.closed]).toEqual([undefined, ["token-expired", expect.any(String)]]);
  expect(whole.pass).toBeDefined();
});
