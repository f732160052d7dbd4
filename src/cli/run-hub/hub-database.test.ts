import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo, TestIoOptions } from "../test-support/test-io.test-helper.ts";

const open: TestIo[] = [];

afterEach(() => open.splice(0).forEach((cli) => cli.close()));

function io(options: TestIoOptions = {}): TestIo {
  const cli = createTestIo(options);
  open.push(cli);
  return cli;
}

/** Runs a hub until it listens, does something, and stops it; returns its output. */
async function runHub(cli: TestIo, args: readonly string[], meanwhile: () => Promise<void> = async () => {}) {
  const code = cli.run("--port", "0", "--no-demo", "--no-code", ...args);
  await cli.wrote("Ctrl-C stops it.");
  await meanwhile();
  await cli.interrupt();
  expect(await code).toBe(0);
  return cli.out() + cli.err();
}

test("a hub stores data in a file of its state directory, or in --database or PAGEWIRE_DATABASE", async () => {
  const plain = io();
  await runHub(plain, []);
  expect(readdirSync(plain.home)).toContain("pagewire.db");
  const place = join(plain.home, "of-the-environment", "hub.db");
  const other = join(plain.home, "of-the-option", "hub.db");
  const named = io({ environment: { PAGEWIRE_DATABASE: place } });
  await runHub(named, []);
  await runHub(named, ["--database", other]);
  expect([existsSync(place), existsSync(other)]).toEqual([true, true]);
  expect(readdirSync(named.home)).not.toContain("pagewire.db");
});

test("a hub with a locked or invalid database does not start, and prints no password", async () => {
  const first = io();
  const database = join(first.home, "hub.db");
  await runHub(first, ["--database", database], async () => {
    const second = io();
    expect(await second.run("--port", "0", "--no-demo", "--database", database)).not.toBe(0);
    expect(second.err()).toContain(`Another hub (process ${process.pid}) has the database ${database}.`);
  });
  const third = io({ environment: { PAGEWIRE_DATABASE: "mysql://ada:secret@host/x" } });
  expect(await third.run("--port", "0", "--no-demo")).not.toBe(0);
  expect(third.err()).toContain('"mysql" is no database that a hub can use.');
  expect(third.err()).not.toContain("secret");
});

test("a hub whose PostgreSQL is unreachable starts, reports it, and prints no password", async () => {
  const cli = io({ environment: { PAGEWIRE_DATABASE: "postgres://ada:secret@127.0.0.1:1/hub" } });
  const said = await runHub(cli, []);
  expect(said).toContain("The database postgres://ada@127.0.0.1:1/hub cannot be used");
  expect(said).not.toContain("secret");
});
