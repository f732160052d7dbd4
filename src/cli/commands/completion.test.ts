import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

async function complete(...line: readonly string[]): Promise<readonly string[]> {
  const before = cli.out().length;
  expect(await cli.run("completion", "words", "--", ...line)).toBe(0);
  return cli.out().slice(before).trimEnd().split("\n");
}

test("commands, options and the first argument of a command are completed", async () => {
  expect(await complete("st")).toEqual(["status", "stop", "store"]);
  expect(await complete("logs", "--f")).toEqual(["--follow"]);
  expect(await complete("token", "r")).toEqual(["rotate", "revoke"]);
  expect(await complete("connect", "cur")).toEqual(["cursor"]);
  expect(await complete("help", "comp")).toEqual(["completion"]);
});

test("nothing is completed where nothing fits, and where no hub runs", async () => {
  for (const line of [
    ["nonsense", ""],
    ["logs", "--lines", ""],
    ["call", ""],
    ["token", "show", ""],
    ["constructor", ""],
  ])
    expect(await complete(...line)).toEqual([""]);
});

test("tools and tabs come from the hub", async () => {
  const hub = await startTestHub(cli);
  try {
    const page = await hub.page({});
    expect(await complete("call", "")).toContain("list_browser_tabs");
    expect(await complete("call", "some_tool", "--tab", "")).toEqual([page.tabId]);
  } finally {
    await hub.close();
  }
});

test("bash asks the command for the word at the cursor", async () => {
  await cli.run("completion", "bash");
  const folder = mkdtempSync(join(tmpdir(), "pagewire-completion-"));
  try {
    writeFileSync(join(folder, "pagewire"), `#!/bin/sh\necho "got $*"\necho second\n`);
    chmodSync(join(folder, "pagewire"), 0o755);
    const script = `${cli.out()}\nCOMP_WORDS=(pagewire call to --tab); COMP_CWORD=2; _pagewire; printf '%s|' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: { PATH: `${folder}:/usr/bin:/bin` },
    });
    expect(stdout).toBe("got completion words -- call to|second|");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an unknown shell is refused with those that are known", async () => {
  expect(await cli.run("completion", "tcsh")).toBe(2);
  expect(cli.err()).toBe('Error: There is no script for "tcsh". There is for bash, zsh, fish.\n');
});
