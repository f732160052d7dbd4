import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { connectTestPage } from "../test-support/test-page.test-helper.ts";

const open: TestIo[] = [];

afterEach(() => open.splice(0).forEach((cli) => cli.close()));

function io(home?: string): TestIo {
  const cli = createTestIo(home === undefined ? {} : { home });
  open.push(cli);
  return cli;
}

/** Runs a hub until it is stopped; one of its pages is called once with a secret. */
async function runHub(cli: TestIo, ...args: readonly string[]): Promise<void> {
  const before = cli.out().length;
  const code = cli.run("--port", "0", "--no-code", ...args);
  await expect.poll(() => cli.out().slice(before)).toContain("Ctrl-C stops it.");
  const page = await connectTestPage({ hub: cli.state.runningHub()?.url ?? "" });
  const caller = io(cli.home);
  await expect.poll(() => caller.run("call", "greet", '{"name":"Ada","password":"hunter2"}')).toBe(0);
  const reader = io(cli.home);
  await expect
    .poll(async () => (await reader.run("audit", "--tool", "greet")) === 0 && reader.out())
    .toContain("greet");
  page.close();
  await cli.interrupt();
  expect(await code).toBe(0);
}

async function recordsOf(home: string): Promise<readonly Record<string, unknown>[]> {
  const reader = io(home);
  await reader.run("audit", "--json", "--tool", "greet");
  return reader
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("records of a hub are shown while it runs and afterwards; contents only if that was turned on", async () => {
  const cli = io();
  await runHub(cli);
  await runHub(cli, "--audit-contents", "other", "--audit-contents", "greet");
  const [first, second] = (await recordsOf(cli.home)).filter(({ outcome }) => outcome === "ok");
  expect(first?.["details"]).toBeUndefined();
  expect(second?.["details"]).toMatchObject({ arguments: '{"name":"Ada","password":"***"}' });
  // The same key makes the same digest.
  expect(first?.["argumentsDigest"]).toBe(second?.["argumentsDigest"]);
  const verifier = io(cli.home);
  expect([await verifier.run("audit", "verify"), verifier.out()]).toEqual([0, expect.stringContaining("is whole")]);
});

test("the key of the digests is created once, readable by the user only, and in no record", async () => {
  const cli = io();
  const key = cli.state.auditKey();
  const path = join(cli.home, "audit-key");
  expect(statSync(path).mode & 0o077).toBe(0);
  await runHub(cli);
  expect(readFileSync(path, "utf8").trim()).toBe(key);
  expect(JSON.stringify(await recordsOf(cli.home))).not.toContain(key);
  chmodSync(path, 0o644);
  expect(await cli.run("--port", "0")).toBe(2);
  expect(cli.err()).toContain(`Make a new one with: rm "${path}"`);
});
