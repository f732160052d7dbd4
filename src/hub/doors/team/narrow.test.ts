// What a narrow credential makes must not exceed it.
import { expect, test } from "vitest";
import { askOwn, errorOf, exchange, mintCode, signIn } from "../../test-support/own.test-helper.ts";
import { startTeamHub } from "../../team/test-support/team-world.test-helper.ts";

test("TM21: what was made with a service account's key governs nothing that the key does not", async () => {
  const hub = await startTeamHub();
  const made = await hub.acme("POST services", { name: "tools", scopes: ["tools"] });
  const key = String(made.body?.["key"]);
  const code = await mintCode(hub, key);
  const { body } = await exchange(hub, code);
  console.log(code, body);
  const token = await signIn(hub, key);
  const out: unknown[] = [];
  for (const asked of ["GET /api/team/me", "GET /api/team/people", "GET /api/team/services"]) {
    out.push([asked, errorOf(await askOwn(hub, asked, { token })), (await askOwn(hub, asked, { token })).body]);
    expect.soft([asked, (await askOwn(hub, asked, { token: key, origin: undefined })).status]).toEqual([asked, asked.endsWith("me") ? 200 : 403]);
  }
  const s = await askOwn(hub, "POST /api/team/services", { token, body: JSON.stringify({ name: "evil", scopes: ["admin"] }) });
  out.push(["make", s.status, s.body]);
  console.log(JSON.stringify(out, null, 1));
  expect(out).toEqual([]);
});
