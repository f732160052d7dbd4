import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

test("an origin is allowed, listed and removed, and each command confirms it", async () => {
  expect(await cli.run("allow", "http://localhost:5173")).toBe(0);
  expect(await cli.run("allow", "http://localhost:5173")).toBe(0);
  expect(await cli.run("allow", "--list")).toBe(0);
  expect(await cli.run("allow", "--remove", "http://localhost:5173")).toBe(0);
  expect(await cli.run("allow", "--remove", "http://localhost:5173")).toBe(0);
  expect(await cli.run("allow", "--list")).toBe(0);
  expect(cli.out().trimEnd().split("\n")).toEqual([
    "Pages of http://localhost:5173 can offer tools now.",
    "Pages of http://localhost:5173 could offer tools before.",
    "http://localhost:5173",
    "Pages of http://localhost:5173 cannot offer tools any more.",
    "Pages of http://localhost:5173 were not allowed to offer tools.",
    "No origin is allowed but the hub's own. Allow one with: npx pagewire allow http://localhost:5173",
  ]);
  expect(cli.err()).toBe("");
});

test("with --json, every form prints the currently allowed origins", async () => {
  await cli.run("allow", "http://localhost:5173", "--json");
  await cli.run("allow", "--list", "--json");
  await cli.run("allow", "--remove", "http://localhost:5173", "--json");
  expect(
    cli
      .out()
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([{ origins: ["http://localhost:5173"] }, { origins: ["http://localhost:5173"] }, { origins: [] }]);
});

test.each([
  [["http://localhost:5173/"], 'Did you mean "http://localhost:5173"?'],
  [["*"], "Wildcards are not possible"],
  [[], "Give one origin, or --list, or --remove ORIGIN."],
  [["http://localhost:5173", "--list"], "Give one origin"],
  [["--list", "--remove", "http://localhost:5173"], "Give one origin"],
])("allow %j is refused", async (args, message) => {
  expect(await cli.run("allow", ...args)).toBe(2);
  expect(cli.err()).toContain(message);
  expect(cli.state.allowedOrigins()).toEqual([]);
});

test("a broken file is named, and not changed", async () => {
  const path = join(cli.home, "origins.json");
  writeFileSync(path, "{");
  expect(await cli.run("allow", "http://localhost:5173")).toBe(2);
  expect(cli.err()).toContain(path);
  expect(readFileSync(path, "utf8")).toBe("{");
});

test("the token is shown to its owner, on a line of its own", async () => {
  expect(await cli.run("token", "show")).toBe(0);
  expect(cli.out()).toBe(`${cli.state.agentToken()}\n`);
  const other = createTestIo({ home: cli.home });
  await other.run("token", "show", "--json");
  expect(JSON.parse(other.out())).toEqual({ token: cli.state.agentToken() });
});

test("rotate makes a new token, and does not print it", async () => {
  const before = cli.state.agentToken();
  expect(await cli.run("token", "rotate")).toBe(0);
  const after = cli.state.agentToken();
  expect(after).not.toBe(before);
  expect(cli.out()).not.toContain(after);
  await cli.run("token", "rotate", "--json");
  expect(cli.out()).toContain('{"rotated":true}');
});

test("a token that others can read is not shown, but can be rotated", async () => {
  cli.state.agentToken();
  chmodSync(join(cli.home, "token"), 0o644);
  expect(await cli.run("token", "show")).toBe(2);
  expect([cli.out(), cli.err().includes("is open to others (mode 0644)")]).toEqual(["", true]);
  expect(await cli.run("token", "rotate")).toBe(0);
  expect(await cli.run("token", "show")).toBe(0);
});

test("other subcommands are refused", async () => {
  expect(await cli.run("token", "steal")).toBe(2);
  expect(cli.err()).toContain(
    '"steal" cannot be done to the token. Write: npx pagewire token show, or: npx pagewire token rotate',
  );
  expect(await cli.run("token")).toBe(2);
});
