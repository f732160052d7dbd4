import { expect, test } from "vitest";
import { askOwn, errorOf, exchange, mintCode } from "../test-support/own.test-helper.ts";
import { makeKey } from "../test-support/page-key.test-helper.ts";
import { startSharingHubs } from "./hubs.test-helper.ts";

const origin = "http://hubs.test";

test("MH122: a page signs in with a code of one hub at another, and is signed in at each until it signs out at one", async () => {
  const { a, b, c } = await startSharingHubs({ publicHosts: ["hubs.test"] });
  const code = await mintCode(a, a.token);
  const key = await makeKey({ url: b.url });
  const body = JSON.stringify({ code, key: key.key });
  const signedIn = await askOwn(b, "POST /api/sign-in", { body, origin });
  expect(signedIn.status).toBe(200);
  const token = String(signedIn.body?.["token"]);
  const ask = async (hub: typeof a, asked: string) => {
    // Each challenge is another hub's.
    const challenge = String((await askOwn(c, "POST /api/challenge", { origin })).body?.["challenge"]);
    return (await askOwn(hub, asked, { token: await key.bearer(token, { origin, challenge }), origin })).status;
  };
  for (const hub of [a, b, c]) expect(await ask(hub, "GET /api/app")).toBe(200);
  expect(await ask(a, "POST /api/sign-out")).toBe(204);
  for (const hub of [a, b, c]) await expect.poll(() => ask(hub, "GET /api/app")).toBe(401);
});

test("MH122: of two uses of a code at two hubs one signs in, and none does when its hub is gone", async () => {
  const { a, b, c } = await startSharingHubs({ publicHosts: ["hubs.test"] });
  const code = await mintCode(a, a.token);
  const uses = await Promise.all([b, c, a].map((hub) => exchange(hub, code)));
  expect(uses.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 401, 401]);
  expect(errorOf(await exchange(b, code))).toEqual([401, "code-invalid"]);
  const lost = await mintCode(a, a.token);
  await a.close();
  expect(errorOf(await exchange(b, lost))).toEqual([401, "code-invalid"]);
});
