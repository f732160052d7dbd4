import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyChain } from "./port/audit-chain.ts";
import { openAudit } from "./open-store-tools.ts";
import { loadSqlite } from "./sql/sqlite-session.ts";
import { databaseKinds, makeFolder, openTestStore } from "./test-support/store-contract.test-helper.ts";

const record = { at: "2026-11-26T10:00:00.000Z", kind: "call", principal: "ada", name: "pay" } as const;

test.each(databaseKinds)("the audit in %s is read while a hub writes to it, and while none does", async (_, make) => {
  const database = await make();
  const store = await openTestStore(database);
  await store.addAudit([record]);
  const reader = await openAudit(database);
  expect(await reader.audit({ limit: 10 })).toMatchObject([record]);
  await store.addAudit([{ ...record, name: "read" }]);
  expect(await reader.audit({ limit: 10 })).toMatchObject([{ name: "read" }, { name: "pay" }]);
  const all = await reader.audit({ after: 0, limit: 10 });
  expect(verifyChain(all, await reader.bounds())).toEqual([]);
  await store.close();
  expect(await reader.audit({ limit: 10 })).toHaveLength(2);
  await reader.close();
  const later = await openAudit(database);
  expect(await later.audit({ limit: 10 })).toHaveLength(2);
  await later.close();
});

test("without an audit the error says so, and nothing is created", async () => {
  const database = join(makeFolder(), "hub.db");
  await expect(openAudit(database)).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining("no hub has kept anything there"),
  });
  expect(existsSync(database)).toBe(false);
});

test("in a database a row that was removed or changed is found, and an end that was cut off", async () => {
  const { DatabaseSync } = await loadSqlite();
  for (const [sql, expected] of [
    ["delete from audit where sequence = 2", { sequence: 3, problem: "missing-before" }],
    ["delete from audit where sequence = 1", { sequence: 2, problem: "missing-before" }],
    ["update audit set record = replace(record, 'pay', 'buy') where sequence = 2", { sequence: 2, problem: "changed" }],
    ["delete from audit where sequence > 2", { sequence: 2, problem: "missing-after" }],
    ["delete from audit", { sequence: 0, problem: "missing-after" }],
  ] as const) {
    const database = join(makeFolder(), "hub.db");
    const store = await openTestStore(database, { hub: "mine" });
    for (let n = 0; n < 4; n++) await store.addAudit([record]);
    await store.close();
    const connection = new DatabaseSync(database, {});
    connection.exec(sql);
    const reader = await openAudit(database);
    const found = verifyChain(await reader.audit({ after: 0, limit: 10 }), await reader.bounds());
    expect(found, sql).toMatchObject([{ ...expected, hub: "mine" }]);
    await reader.close();
  }
});
