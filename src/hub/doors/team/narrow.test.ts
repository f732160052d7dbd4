// Credentials made by a narrow credential must not exceed it.
import { expect, test } from "vitest";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { startTeamHub } from "../../team/test-support/team-world.test-helper.ts";

test("TM21: a page that was signed in with a service account's key governs nothing that the key does not", async () => {
  const hub = await startTeamHub();
  const made = await hub.acme("POST services", { name: "tools", scopes: ["tools"] });
  const token = await signIn(hub, String(made.body?.["key"]));
  const body = JSON.stringify({ name: "evil", scopes: ["admin"] });
  for (const asked of ["GET /api/team/people", "GET /api/team/services"])
    expect(errorOf(await askOwn(hub, asked, { token }))).toEqual([403, "scope-needed"]);
  expect(errorOf(await askOwn(hub, "POST /api/team/services", { token, body }))).toEqual([403, "scope-needed"]);
});
