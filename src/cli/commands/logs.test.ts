import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hubLogPath } from "../run-hub/hub-starter.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;
let path: string;

beforeEach(() => {
  cli = createTestIo();
  path = hubLogPath(cli.home);
});
afterEach(() => cli.close());

test("the last lines are printed, and one that has no end yet", async () => {
  writeFileSync(path, "one\ntwo\nthree\nfour");
  expect(await cli.run("logs", "--lines", "2")).toBe(0);
  expect(cli.out()).toBe("two\nthree\nfour\n");
});

test("a log that is followed is printed to its end before the one that takes its place", async () => {
  writeFileSync(path, "one\ntwo\n");
  const ended = cli.run("logs", "--follow", "--lines", "1");
  await cli.wrote("two\n");
  appendFileSync(path, "three\nfour");
  renameSync(path, `${path}.1`);
  writeFileSync(path, "five\n");
  await cli.wrote("five\n");
  // A truncated file is read from its start.
  writeFileSync(path, "6\n");
  await cli.wrote("6\n");
  await cli.interrupt();
  expect(await ended).toBe(0);
  expect(cli.out()).toBe("two\nthree\nfour\nfive\n6\n");
});
