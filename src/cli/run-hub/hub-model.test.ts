import { existsSync, statSync } from "node:fs";
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

async function stop(cli: TestIo, code: Promise<number>): Promise<void> {
  await cli.interrupt();
  expect(await code).toBe(0);
}

test.each([
  [[], {}, "rehearsal: only plays a model: no key was found. Set one of OPENAI_API_KEY"],
  [[], { ANTHROPIC_API_KEY: "sk-secret" }, "anthropic/claude-haiku-4-5: with the key of ANTHROPIC_API_KEY"],
  [["--model", "openai/gpt-x"], { OPENAI_API_KEY: "sk-secret" }, "openai/gpt-x: with the key of OPENAI_API_KEY"],
  [["--no-model"], { OPENAI_API_KEY: "sk-secret" }, "none: as requested"],
])("the hub with %j and %j says which model it has, and whose key", async (args, environment, words) => {
  const cli = io({ environment });
  const code = cli.run("--port", "0", ...args);
  await cli.wrote("Ctrl-C stops it.");
  expect(cli.out().replaceAll(/\s+/g, " ")).toContain(`Model ${words}`);
  expect(cli.out() + cli.err()).not.toContain("sk-secret");
  await stop(cli, code);
});

test("a hub does not start with an unavailable model", async () => {
  const cli = io();
  expect(await cli.run("--port", "0", "--model", "openai/gpt-x")).toBe(2);
  expect(cli.err()).toContain("The model openai needs a key. Put it into OPENAI_API_KEY.");
  expect(cli.state.runningHub()).toBeUndefined();
});

test("the hub stores its conversations in the state directory, unreadable to others and locked while it runs", async () => {
  const cli = io();
  const code = cli.run("--port", "0");
  await cli.wrote("Ctrl-C stops it.");
  const store = join(cli.home, "pagewire.db");
  expect(statSync(store).mode & 0o077).toBe(0);
  expect(existsSync(`${store}.lock`)).toBe(true);
  await stop(cli, code);
  expect(existsSync(`${store}.lock`)).toBe(false);
});

test("a second hub with the same state directory is refused by name, and changes nothing", async () => {
  const cli = io();
  const code = cli.run("--port", "0");
  await cli.wrote("Ctrl-C stops it.");
  const running = cli.state.runningHub();
  const second = io({ home: cli.home });
  expect(await second.run("--port", "0")).toBe(1);
  expect(second.err()).toMatch(
    /A hub already runs at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\. It has the state directory .* since 20/,
  );
  expect(second.err()).toContain(`${running?.url} (process ${process.pid})`);
  expect(second.err()).toContain("PAGEWIRE_HOME");
  expect(cli.state.runningHub()).toEqual(running);
  const elsewhere = io();
  const other = elsewhere.run("--port", "0");
  await elsewhere.wrote("Ctrl-C stops it.");
  await stop(elsewhere, other);
  await stop(cli, code);
  expect([cli.state.runningHub(), existsSync(join(cli.home, "hub.lock"))]).toEqual([undefined, false]);
});
