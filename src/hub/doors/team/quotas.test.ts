import { expect, test } from "vitest";
import { startTeamHub } from "../../team/test-support/team-world.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";

test("TM73: quotas for as many people and groups as they may name are taken, and what is far more is refused by its size", async () => {
  const hub = await startTeamHub();
  const named = (name: (at: number) => string, quota: object) =>
    Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [name(at), quota]));
  const quotas = {
    groups: named((at) => `a group of this company ${at}`, { each: { day: 1000 }, all: { month: 1_000_000 } }),
    people: named((at) => `acme/${String(at).padStart(40, "0")}`, { day: 200_000, month: 4_000_000 }),
  };
  expect((await hub.acme("PUT quotas", quotas)).status).toBe(200);
  expect((await hub.acme("GET quotas")).body).toMatchObject({ quotas });
  const large = { people: { [`acme/${"x".repeat(300_000)}`]: { day: 1 } } };
  const refused = await hub.acme("PUT quotas", large);
  expect(errorOf(refused)).toEqual([413, "body-too-large"]);
  expect(JSON.stringify(refused.body)).toContain("The body is larger than 262144 bytes, which is the most here.");
});
