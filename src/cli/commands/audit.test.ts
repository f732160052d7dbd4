import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../hub/index.ts";
import type { AuditRecord, Store } from "../../hub/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo, TestIoOptions } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;
let store: Store;

beforeEach(() => start());
afterEach(async () => {
  await store.close();
  cli.close();
});

async function start(options: TestIoOptions = {}): Promise<void> {
  cli = createTestIo(options);
  const limits = { pruneTime: 0 };
  store = await openStore({ database: join(cli.home, "pagewire.db"), hub: "mine", limits });
}

const call = (at: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  at: `2026-01-02T${at}Z`,
  kind: "call",
  principal: "local",
  agent: "claude",
  door: "mcp",
  origin: "https://shop.example",
  app: "shop",
  tab: "t1",
  name: "place_order",
  outcome: "ok",
  ran: "yes",
  milliseconds: 12,
  decidedBy: "not-asked",
  ...more,
});

const lines = () => cli.out().trimEnd().split("\n");
const parsed = () => lines().map((line) => JSON.parse(line) as Record<string, unknown>);

test("the latest records are a table, in order, with details", async () => {
  await store.addAudit([
    call("00:00:00.000"),
    call("00:00:01.500", { outcome: "tool-error", code: "handler-failed", ran: "maybe", decidedBy: "user" }),
    { at: "2026-01-02T00:00:02.000Z", kind: "token", principal: "", outcome: "refused", details: { count: 3 } },
  ]);
  expect(await cli.run("audit")).toBe(0);
  expect(lines()).toEqual([
    "TIME                  KIND   NAME         OUTCOME     MS  DOOR  AGENT   ABOUT",
    "2026-01-02 00:00:00Z  call   place_order  ok          12  mcp   claude  shop, https://shop.example, tab t1",
    "2026-01-02 00:00:01Z  call   place_order  tool-error  12  mcp   claude  shop, https://shop.example, tab t1, handler-failed, may have run, by user",
    "2026-01-02 00:00:02Z  token               refused                       count: 3",
  ]);
});

test("on a terminal, lines fit its width and have no control or bidirectional characters", async () => {
  await store.close();
  cli.close();
  await start({ isTerminal: true });
  const evil = "\u001b[2Jevil\u202Egnp\nname";
  await store.addAudit([call("00:00:00.000", { name: evil, agent: evil, app: evil.repeat(50) })]);
  expect(await cli.run("audit")).toBe(0);
  expect(cli.out().replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
  for (const line of lines()) expect(Array.from(line).length).toBeLessThanOrEqual(100);
  expect(lines()).toHaveLength(2);
});

test("records are filtered by time, tool, agent, origin, principal, kind and outcome, and limited in number", async () => {
  const ago = (hours: number) => new Date(cli.io.now().getTime() - hours * 3_600_000).toISOString();
  await store.addAudit([
    call("", { at: ago(3), name: "a", agent: "one" }),
    call("", { at: ago(2), name: "b", principal: "ada", origin: "https://bank.example" }),
    call("", { at: ago(1), name: "c", kind: "consent", outcome: "given" }),
    call("", { at: ago(0), name: "d" }),
  ]);
  for (const [options, names] of [
    [["--tool", "a"], "a"],
    [["--agent", "one"], "a"],
    [["--principal", "ada"], "b"],
    [["--origin", "https://bank.example"], "b"],
    [["--kind", "consent"], "c"],
    [["--kind", "consent", "--kind", "call"], "abcd"],
    [["--outcome", "given"], "c"],
    [["--limit", "2"], "cd"],
    [["--since", ago(2), "--until", ago(1)], "bc"],
    [["--since", "35m"], "d"],
    [["--since", "4h"], "abcd"],
    [["--tool", "none"], ""],
  ] as const) {
    const before = cli.out().length;
    expect(await cli.run("audit", "--json", ...options), options.join(" ")).toBe(0);
    const found = cli
      .out()
      .slice(before)
      .split("\n")
      .flatMap((line) => /"name":"(\w)"/.exec(line)?.[1] ?? []);
    expect(found.join(""), options.join(" ")).toBe(names);
  }
});

test("--errors shows the calls that did not end well, and a wait is in the row", async () => {
  await store.addAudit([
    call("00:00:00.000"),
    call("00:00:01.000", { name: "pay", outcome: "rejected", code: "policy-declined", steps: { waited: 3100.4 } }),
    { at: "2026-01-02T00:00:02.000Z", kind: "consent", principal: "local", outcome: "refused" },
  ]);
  expect(await cli.run("audit", "--errors")).toBe(0);
  expect(lines()).toHaveLength(2);
  expect(lines()[1]).toMatch(/pay .*rejected.*policy-declined, waited 3100 ms$/);
});

test("times are those of each tool, of the latest calls, and say where they stop", async () => {
  const many = Array.from({ length: 20 }, (_, n) => call(`00:00:${n + 10}.000`, { milliseconds: n + 1 }));
  await store.addAudit([...many, call("00:01:00.000", { name: "pay", outcome: "rejected", milliseconds: undefined })]);
  expect(await cli.run("audit", "times")).toBe(0);
  expect(lines()).toEqual([
    "TOOL         CALLS  FAILED  P50  P95  LONGEST (MS)",
    "place_order  20     0       10   19   20",
    "pay          1      1",
  ]);
  expect(await cli.run("audit", "times", "--limit", "2")).toBe(0);
  expect(cli.err()).toContain("These are the latest 2 calls, since 2026-01-02T00:00:29.000Z.");
  const before = cli.out().length;
  expect(await cli.run("audit", "times", "--errors", "--json")).toBe(0);
  expect(JSON.parse(cli.out().slice(before))).toMatchObject({ isWhole: true, calls: 1, failures: 1 });
});

test("invalid filters are refused with the valid ones, and so is a missing database", async () => {
  for (const [args, message] of [
    [["--kind", "calls"], 'There is no kind "calls" of records. There are: call, question'],
    [["--since", "yesterday"], "--since must be a time ago, such as 1h or 7d"],
    [["--until", "7"], "--until must be a time ago"],
    [["--limit", "0"], "--limit must be a whole number from 1"],
    [["check"], '"check" cannot be done to the audit. Write: npx pagewire audit verify, or times'],
    [["times", "x"], "takes no file"],
    [["times", "--kind", "call"], "leave out --kind"],
    [["--errors", "--kind", "call"], "leave out --kind"],
    [["--database", join(cli.home, "none.db")], "no hub has kept anything there"],
    [["--database", "mysql://x"], "is no database that a hub can use"],
  ] as const) {
    const before = cli.err().length;
    expect(await cli.run("audit", ...args), args.join(" ")).toBe(2);
    expect(cli.err().slice(before)).toContain(message);
  }
  const noDatabase = join(cli.home, "text.db");
  writeFileSync(noDatabase, "This is no database, but a text that is long enough. ".repeat(20));
  expect(await cli.run("audit", "--database", noDatabase)).toBe(1);
  expect(cli.err()).toContain(noDatabase);
  await cli.run("audit");
  expect(cli.out()).toContain("Nothing of this is in the audit.");
});

test("--follow prints new records, each once, until Ctrl-C", async () => {
  await store.addAudit([call("00:00:00.000", { name: "old" })]);
  const running = cli.run("audit", "--follow", "--json", "--limit", "1");
  await cli.wrote("old");
  await store.addAudit([call("00:00:01.000", { name: "new1" }), call("00:00:02.000", { name: "new2" })]);
  await cli.wrote("new2");
  await store.addAudit([call("00:00:01.000", { name: "new3" })]);
  await cli.wrote("new3");
  await cli.interrupt();
  expect(await running).toBe(0);
  expect(parsed().map(({ name }) => name)).toEqual(["old", "new1", "new2", "new3"]);
});

test("--follow applies the filters, even if nothing matched before", async () => {
  await store.addAudit([call("00:00:00.000", { name: "old" })]);
  const running = cli.run("audit", "--follow", "--tool", "wanted");
  await store.addAudit([call("00:00:01.000", { name: "other" }), call("00:00:02.000", { name: "wanted" })]);
  await cli.wrote("wanted");
  await cli.interrupt();
  expect(await running).toBe(0);
  expect(cli.out()).not.toMatch(/old|other/);
});

/** Ten records of two days, in an export. */
async function exported(): Promise<string> {
  const days = ["2026-01-01", "2026-01-02"];
  for (const day of days)
    for (let hour = 0; hour < 5; hour++) await store.addAudit([call("", { at: `${day}T0${hour}:00:00.000Z` })]);
  const path = join(cli.home, "audit.jsonl");
  await cli.run("audit", "--json");
  writeFileSync(path, cli.out());
  return path;
}

const verify = async (...args: readonly string[]) => {
  const before = cli.out().length;
  const code = await cli.run("audit", "verify", ...args);
  return [code, cli.out().slice(before).trimEnd()] as const;
};

test("an export has all records and the end of the chain, and verifies like its database", async () => {
  const path = await exported();
  expect(parsed().at(-1)).toEqual({
    kind: "end",
    records: 10,
    heads: { mine: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  const whole = [0, "10 records of 2 days: the chain is whole."];
  expect([await verify(path), await verify()]).toEqual([whole, whole]);
  expect(JSON.parse((await verify(path, "--json"))[1])).toEqual({
    records: 10,
    days: 2,
    hubs: 1,
    isWhole: true,
    problems: [],
  });
});

test("verify finds removed, changed and moved lines of a file, and a missing end", async () => {
  const path = await exported();
  const good = readFileSync(path, "utf8").trimEnd().split("\n");
  const [sixth = "", seventh = ""] = good.slice(5);
  const place = (sequence: number) => `Day 2026-01-02, record ${sequence} (hub mine)`;
  for (const [changed, expected] of [
    [good.toSpliced(5, 1), `${place(7)} does not follow the one before it`],
    [good.toSpliced(5, 1, sixth.replace('"ok"', '"cancelled"')), `${place(6)} was changed after it was written.`],
    [good.toSpliced(5, 1, sixth.replace('"tab":"t1",', "")), `${place(6)} was changed after it was written.`],
    [good.toSpliced(5, 2, seventh, sixth), `${place(7)} does not follow the one before it`],
    [good.toSpliced(8, 2), `${place(8)} is the last one here, and was not the last: the end was cut off.`],
    [good.slice(0, 8), "The file has no end line: its end was cut off"],
    [good.slice(-1), "Day , record 0 (hub mine) is the last one here"],
    [[], "The file has no end line"],
  ] as const) {
    writeFileSync(path, changed.map((line) => `${line}\n`).join(""));
    const [code, said] = await verify(path);
    expect(code).toBe(1);
    expect(said.split("\n")[1]).toContain(expected);
  }
});

test("an invalid file is refused with the line, and an unreadable one with the reason", async () => {
  const path = join(cli.home, "audit.jsonl");
  for (const text of ['{"a":1}', "no JSON", '{"kind":"end","heads":{}}\n{"kind":"end","heads":{}}\n7']) {
    writeFileSync(path, text);
    expect((await verify(path))[0]).toBe(2);
  }
  expect(cli.err()).toContain(`Line 1 of ${path} is no record of an audit.`);
  expect((await verify(join(cli.home, "none")))[0]).toBe(2);
});

test("each command of the guide exists", async () => {
  const guide = readFileSync(new URL("../../../docs/guide/who-did-what.md", import.meta.url), "utf8");
  const commands = guide.split("\n").filter((line) => line.startsWith("npx pagewire"));
  for (const line of commands) {
    const [command = ""] = line.split(/ +(?:#|>|\|\|)/);
    expect(await cli.run(...command.split(" ").slice(2), "--help"), line).toBe(0);
  }
  expect(commands.length).toBeGreaterThan(5);
});
