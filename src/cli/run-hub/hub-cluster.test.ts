import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

/** A command of the same machine. */
async function said({ home }: TestIo, ...args: readonly string[]): Promise<string> {
  const cli = createTestIo({ home });
  expect(await cli.run(...args)).toBe(0);
  return cli.out();
}

test("MH50: the command lines of all machines show a rule that one of them set", async () => {
  const database = await newDatabase();
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const start = async () => {
    const cli = createTestIo();
    onTestFinished(() => cli.close());
    const code = cli.run("--port", "0", "--no-demo", "--no-model", "--nats", nats.url, "--database", database);
    await cli.wrote("Ctrl-C stops it.");
    return { cli, code };
  };
  const [one, two] = [await start(), await start()];
  const file = join(one.cli.home, "rules.json");
  writeFileSync(file, '{ "rules": [{ "name": "no-pay", "tool": "pay", "decision": "deny" }] }');
  await said(one.cli, "policy", "set", file);
  await said(one.cli, "allow", "https://app.example");
  await said(one.cli, "token", "revoke", "--id", "stolen");
  await said(one.cli, "token", "revoke", "--subject", "ann");
  await expect.poll(() => said(two.cli, "policy", "show")).toContain("no-pay");
  await expect.poll(() => said(two.cli, "allow", "--list")).toBe("https://app.example\n");
  await expect.poll(() => said(two.cli, "token", "revoke", "--list")).toMatch(/^id stolen\nsubject ann, before /);
  const revoked = await said(one.cli, "token", "revoke", "--list");
  expect(await said(two.cli, "token", "revoke", "--list")).toBe(revoked);
  writeFileSync(join(two.cli.home, "origins.json"), "{", { mode: 0o600 });
  await said(two.cli, "token", "revoke", "--id", "stolen", "--remove");
  await expect.poll(() => said(one.cli, "token", "revoke", "--list")).toMatch(/^subject ann/);
  // A broken file allows and removes nothing.
  expect(await said(one.cli, "allow", "--list")).toBe("https://app.example\n");
  for (const { cli, code } of [one, two]) {
    await cli.interrupt();
    expect(await code).toBe(0);
  }
});
