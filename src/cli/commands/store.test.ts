import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newConversationId, openStore } from "../../hub/index.ts";
import type { Store } from "../../hub/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;
let store: Store;
const conversation = { principal: "ada", id: newConversationId() };

beforeEach(async () => {
  cli = createTestIo();
  store = await openStore({ database: join(cli.home, "pagewire.db") });
  await store.write(conversation, { keep: 0, messages: [{ role: "user", content: "What sells best?" }] });
  await store.setRecord("consents", "c", { principal: "bob", approved: true });
});

afterEach(async () => {
  await store.close();
  cli.close();
});

const lines = () => cli.out().trimEnd().split("\n");

test("store status prints counts and the range of time", async () => {
  expect(await cli.run("store", "status")).toBe(0);
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`;
  expect(lines()[0]).toMatch(/^\/.*pagewire\.db: \d+(\.\d)? [KM]B$/);
  expect(lines().slice(2)).toEqual([
    expect.stringMatching(/^WHAT +COUNT +SIZE +OLDEST +NEWEST$/),
    expect.stringMatching(`^conversations +1 +\\d+ bytes +${time} +${time}$`),
    expect.stringMatching(`^records +1 +\\d+ bytes +${time} +${time}$`),
    expect.stringMatching(/^usage +0$/),
    expect.stringMatching(/^keys +0$/),
    expect.stringMatching(/^outcomes +0$/),
    expect.stringMatching(/^audit +0$/),
  ]);
});

test("with --json, store status and store prune print JSON", async () => {
  await cli.run("store", "status", "--json");
  await cli.run("store", "prune", "--json");
  expect(lines().map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ database: join(cli.home, "pagewire.db"), bytes: expect.any(Number) }),
    { conversations: 0, records: 0, usage: 0, outcomes: 0, keys: 0, homes: 0, audit: 0 },
  ]);
});

test("store prune prints what it removed", async () => {
  expect(await cli.run("store", "prune")).toBe(0);
  expect(cli.out()).toBe("Nothing was too old, or too much.\n");
  await store.addTokens("ada", "2020-01-01", 5);
  await cli.run("store", "prune");
  expect(lines().at(-1)).toBe("Removed 1 of usage.");
});

test("store prune applies the given limits", async () => {
  const day = 86_400_000;
  await store.addTokens("ada", new Date(Date.now() - 40 * day).toISOString().slice(0, 10), 5);
  await cli.run("store", "prune", "--limit", "usageTime=60d");
  await cli.run("store", "prune");
  expect(lines()).toEqual(["Nothing was too old, or too much.", "Removed 1 of usage."]);
});

test("store backup makes a database that a hub can use", async () => {
  const copy = join(cli.home, "copy.db");
  expect(await cli.run("store", "backup", copy)).toBe(0);
  expect(cli.out()).toBe(`The backup is ${copy}.\n`);
  expect(statSync(copy).mode & 0o077).toBe(0);
  const restored = await openStore({ database: copy });
  expect(await restored.list("ada")).toMatchObject([{ id: conversation.id }]);
  await restored.close();
  expect(await cli.run("store", "backup", copy)).toBe(2);
  expect(cli.err()).toContain("Name a file that is not there");
});

test("store export writes everything, or the data of one principal, as lines of JSON", async () => {
  expect(await cli.run("store", "export")).toBe(0);
  expect(lines().map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(["conversation", "record"]);
  const before = lines().length;
  expect(await cli.run("store", "export", "--principal", "bob")).toBe(0);
  expect(
    lines()
      .slice(before)
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([{ kind: "record", principal: "bob", key: "c", value: { approved: true } }]);
});

test.each([
  [["mend"], '"mend" cannot be done to the store.'],
  [["backup"], "Name the file: npx pagewire store backup <file>"],
  [["status", "x"], "status takes no file."],
  [["prune", "--principal", "ada"], "--principal is for export."],
  [["status", "--limit", "usageTime=60d"], "--limit is for prune."],
  [["status", "--database", "/nowhere/hub.db"], "no hub has kept anything there"],
  [["status", "--database", "mysql://ada:secret@host/x"], '"mysql" is no database that a hub can use.'],
])("what cannot be done to a store is refused by name: %j", async (words, problem) => {
  expect(await cli.run("store", ...words)).not.toBe(0);
  expect(cli.err()).toContain(problem);
  expect(cli.err()).not.toContain("secret");
});
