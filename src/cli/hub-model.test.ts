import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTestIo } from "./test-io.test-helper.ts";
import type { TestIo, TestIoOptions } from "./test-io.test-helper.ts";

const open: TestIo[] = [];

afterEach(() => open.splice(0).forEach((cli) => cli.close()));

function io(options: TestIoOptions = {}): TestIo {
  const cli = createTestIo(options);
  open.push(cli);
  return cli;
}

async function stop(cli: TestIo, code: Promise<number>): Promise<void> {
  await cli.interrupt();
  expect(await code).toBe(0);
}

test.each([
  [[], {}, "rehearsal: only plays a model: no key was found. Set one of OPENAI_API_KEY"],
  [[], { ANTHROPIC_API_KEY: "sk-secret" }, "anthropic/claude-haiku-4-5: with the key of ANTHROPIC_API_KEY"],
  [["--model", "openai/gpt-x"], { OPENAI_API_KEY: "sk-secret" }, "openai/gpt-x: with the key of OPENAI_API_KEY"],
  [["--no-model"], { OPENAI_API_KEY: "sk-secret" }, "none: as it was told to"],
])("CO1, CO3: the hub with %j and %j says which model it has, and whose key", async (args, environment, words) => {
  const cli = io({ environment });
  const code = cli.run("--port", "0", ...args);
  await cli.wrote("Ctrl-C stops it.");
  expect(cli.out().replaceAll(/\s+/g, " ")).toContain(`Model ${words}`);
  expect(cli.out() + cli.err()).not.toContain("sk-secret");
  await stop(cli, code);
});

test("CO3: a hub does not start with a model that cannot be had", async () => {
  const cli = io();
  expect(await cli.run("--port", "0", "--model", "openai/gpt-x")).toBe(2);
  expect(cli.err()).toContain("The model openai needs a key. Put it into OPENAI_API_KEY.");
  expect(cli.state.runningHub()).toBeUndefined();
});

test("CO9: the hub keeps its conversations in the state directory, where only one hub does; another keeps its own in memory, and says so", async () => {
  const cli = io();
  const code = cli.run("--port", "0");
  await cli.wrote("Ctrl-C stops it.");
  const store = join(cli.home, "store");
  expect(statSync(store).mode & 0o077).toBe(0);
  const another = io({ home: cli.home });
  const second = another.run("--port", "0");
  await another.wrote("Ctrl-C stops it.");
  expect(another.err()).toContain(`Another hub (process ${process.pid}) keeps its conversations in ${store}.`);
  expect(another.err()).toContain("The conversations of this hub end with it.");
  await stop(another, second);
  expect(existsSync(join(store, "lock"))).toBe(true);
  await stop(cli, code);
  expect(existsSync(join(store, "lock"))).toBe(false);
});
