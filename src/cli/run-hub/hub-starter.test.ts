import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHubStarter, takeStartLock } from "./hub-starter.ts";
import type { HubStarterOptions } from "./hub-starter.ts";
import { systemWaiting } from "../mcp/upstream/wait.ts";
import { createTestWaiting } from "../mcp/test-support/waiting.test-helper.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pagewire-starter-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program in place of the command. It creates a file to report that it runs. */
function writeProgram(source: string): string {
  const path = join(folder, "program.mjs");
  writeFileSync(path, `import { writeFileSync } from "node:fs";\n${source}`);
  return path;
}

const isThere = async () => statSync(join(folder, "there"), { throwIfNoEntry: false }) !== undefined;

function createStarter(source: string, more: Partial<HubStarterOptions> = {}) {
  return createHubStarter({
    program: writeProgram(source),
    args: ["--port", "7"],
    directory: folder,
    environment: { ...process.env, MARK: "given" },
    waiting: systemWaiting,
    signal: new AbortController().signal,
    isThere,
    note: () => {},
    ...more,
  });
}

const comes = `console.log(process.argv.slice(2).join(" "), process.env.MARK, process.cwd());
writeFileSync("there", "");`;

test("the started hub runs in the state directory, with a log there that only its owner can read and that has no code", async () => {
  const notes: string[] = [];
  await createStarter(comes, { note: (text) => notes.push(text) }).start();
  const log = join(folder, "hub.log");
  expect(readFileSync(log, "utf8")).toBe(`hub --no-code --port 7 given ${folder}\n`);
  expect(statSync(log).mode & 0o777).toBe(0o600);
  expect(notes).toEqual([
    expect.stringMatching(/^Started a hub \(process \d+\), which goes on running\. Its log: .*hub\.log$/),
  ]);
});

test("the log is appended to, and rotated when it is long", async () => {
  const log = join(folder, "hub.log");
  writeFileSync(log, "before\n");
  await createStarter(comes).start();
  expect(readFileSync(log, "utf8")).toMatch(/^before\nhub /);
  rmSync(join(folder, "there"));
  writeFileSync(log, "x".repeat(5 * 1024 * 1024));
  await createStarter(comes).start();
  expect(readFileSync(log, "utf8")).toMatch(/^hub /);
  expect(statSync(`${log}.1`).size).toBe(5 * 1024 * 1024);
});

test("concurrent requests in one process start one hub", async () => {
  const { start } = createStarter(`${comes} setInterval(() => {}, 10); setTimeout(() => process.exit(), 200);`);
  await Promise.all([start(), start(), start()]);
  expect(readFileSync(join(folder, "hub.log"), "utf8").match(/^hub /gm)).toHaveLength(1);
});

test("a start waits for a hub that another process starts", async () => {
  const giveBack = takeStartLock(folder);
  let looks = 0;
  const { start } = createStarter("throw new Error('This is not to be started.');", {
    waiting: createTestWaiting(),
    isThere: async () => ++looks > 30,
  });
  await start();
  giveBack?.();
});

test("a start that another process does not finish is an error", async () => {
  const giveBack = takeStartLock(folder);
  const { start } = createStarter(comes, { waiting: createTestWaiting() });
  await expect(start()).rejects.toThrow("No hub runs, and none could be started: another process tries to");
  giveBack?.();
});

test("a hub that exits at once is an error with its last output, and the next start tries again", async () => {
  const { start } = createStarter(
    "console.error('Error: Port 7 is used by another program.\\nMore.'); process.exit(1);",
  );
  const expected = /none could be started: Port 7 is used by another program\. \(see .*hub\.log\)\. Start it yourself/;
  await expect(start()).rejects.toThrow(expected);
  await expect(start()).rejects.toThrow(expected);
  expect(readFileSync(join(folder, "hub.log"), "utf8").match(/^Error/gm)).toHaveLength(2);
});

test("a hub that is not ready in time is ended", async () => {
  const { start } = createStarter("setInterval(() => {}, 1000);", { waiting: createTestWaiting() });
  await expect(start()).rejects.toThrow("it was not ready after 20 seconds");
});

test("a missing command is an error", async () => {
  const { start } = createStarter("", { program: join(folder, "missing.mjs") });
  await expect(start()).rejects.toThrow(/none could be started: Cannot find module .*missing\.mjs/);
});

test("the error for a read-only state directory names it", async () => {
  const directory = join(folder, "missing");
  await expect(createStarter(comes, { directory }).start()).rejects.toThrow(/none could be started: .*ENOENT.*missing/);
});
