import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findClient } from "../connect/clients/client-table.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import { examinePrograms } from "./examine-programs.ts";
import type { Finding } from "./finding.ts";
import { recordedOutputs } from "./programs/recorded-outputs.test-helper.ts";
import { programTable } from "./programs/program-table.ts";

let cli: TestIo;
let hub: TestHub;
let project: string;
let bin: string;

beforeEach(async () => {
  cli = createTestIo();
  hub = await startTestHub(cli);
  project = mkdtempSync(join(tmpdir(), "pagewire-project-"));
  bin = join(cli.home, "bin");
  mkdirSync(bin);
  install("npx", "");
});
afterEach(async () => {
  await hub.close();
  cli.close();
  rmSync(project, { recursive: true, force: true });
});

const stdio = { command: "npx", args: ["-y", "pagewire", "mcp"] };

/** Connects a client, in the project where it has a file for that. */
function connect(id: string, entry: object = stdio): string {
  const client = findClient(id);
  const scope = id === "qwen-code" ? "user" : "project";
  const path = client.configPath(scope, { ...cli.io, project }) ?? "";
  mkdirSync(dirname(path), { recursive: true });
  const written = id === "opencode" && "args" in entry ? { type: "local", command: ["npx", ...stdio.args] } : entry;
  writeFileSync(path, client.format.snippet("pagewire", written as never));
  return path;
}

/** Puts a program on the PATH that runs this script. */
function install(command: string, script: string): void {
  const path = join(bin, command);
  writeFileSync(path, `#!${process.execPath}\n${script}\n`);
  chmodSync(path, 0o755);
}

const commandOf = (id: string) => programTable.find((program) => program.id === id)?.command ?? "";

/** The doctor of a user whose PATH has these programs and no others. */
function doctor(): TestIo {
  return createTestIo({ home: cli.home, environment: { PATH: bin } });
}

async function findings(): Promise<readonly Finding[]> {
  const one = doctor();
  expect([await one.run("doctor", "--json", "--project", project), one.err()]).toEqual([0, ""]);
  const all = (JSON.parse(one.out()) as { findings: Finding[] }).findings;
  return all.filter(({ about }) => about === "programs");
}

const told = ({ state, message, advice = [] }: Finding) => [`${state}: ${message}`, ...advice].join(" -> ");

const outputs = recordedOutputs.map(([client, output, status, finding]) => ({ client, output, status, finding }));

test.each(outputs)("what $client says is told in plain words, with what to do: $status", async (recorded) => {
  const { client, output, status, finding } = recorded;
  const path = connect(client);
  install(commandOf(client), `process.stdout.write(${JSON.stringify(output)})`);
  const found = await findings();
  expect(found.map(told)).toEqual([finding.replace("PATH", path)]);
  expect(found).toMatchObject([{ client, status }]);
});

test("a program that is not installed is no failure", async () => {
  for (const { id } of programTable) connect(id);
  const found = await findings();
  expect(found.map(({ state, status }) => [state, status])).toEqual(programTable.map(() => ["well", "not-installed"]));
  expect(found[0]?.message).toBe("Claude Code was not asked: there is no claude on the PATH.");
});

test("a person at a terminal sees whom the doctor asks, which takes a moment", async () => {
  connect("codex");
  const one = createTestIo({ home: cli.home, environment: { PATH: bin }, isTerminal: true });
  expect(await one.run("doctor", "--project", project)).toBe(0);
  expect(one.err()).toBe("Asking Codex…\n");
});

test("a program whose client does not know Pagewire is not run", async () => {
  const mark = join(cli.home, "ran");
  for (const { command } of programTable) install(command, `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`);
  expect(await findings()).toEqual([]);
  // Others of that name may log in, and where no hub runs, the program would start one.
  connect("claude-code", { command: "npx", args: ["mcp-remote", `${hub.url}/mcp`] });
  connect("gemini-cli", { ...stdio, env: { PAGEWIRE_HOME: join(cli.home, "other") } });
  connect("copilot-cli", { type: "http", url: "http://127.0.0.1:1/mcp" });
  expect(await findings()).toEqual([]);
  expect(existsSync(mark)).toBe(false);
});

test("an entry whose command is not installed is told of, and the program is not run for it", async () => {
  const path = connect("codex", { ...stdio, command: "npxx" });
  install("codex", "");
  const one = doctor();
  expect(await one.run("doctor", "--project", project)).toBe(0);
  expect(one.out().replaceAll("\n", " ")).toContain(
    `Codex: pagewire in ${path} starts "npxx", which is not on your PATH.      -> Rewrite it with: npx pagewire connect codex --write --project . `,
  );
  expect(one.out()).not.toContain("switched on");
});

test("a program gets copies with its trust and this server only, and what it writes is not its user's", async () => {
  const projects = {
    [project]: { hasTrustDialogAccepted: true, history: ["secret"] },
    "/other": { mcpServers: { a: {} } },
  };
  const state = JSON.stringify({
    projects,
    oauthAccount: "secret",
    mcpServers: { pagewire: stdio, other: { command: "x" } },
  });
  const path = join(cli.home, ".claude.json");
  writeFileSync(path, state);
  const log = join(cli.home, "log");
  install(
    "claude",
    `const fs = require("fs"), folder = process.env.CLAUDE_CONFIG_DIR;
     fs.writeFileSync(${JSON.stringify(log)}, JSON.stringify({ folder, cwd: process.cwd(), args: process.argv.slice(2), mode: fs.statSync(folder).mode & 0o777, state: fs.readFileSync(folder + "/.claude.json", "utf8") }));
     fs.writeFileSync(folder + "/.claude.json", "changed");
     console.log("  Status: ✔ Connected");`,
  );
  expect((await findings()).map(({ status }) => status)).toEqual(["connected"]);
  const seen = JSON.parse(readFileSync(log, "utf8")) as Record<string, unknown> & { state: string; folder: string };
  expect(seen).toMatchObject({ args: ["mcp", "get", "pagewire"], mode: 0o700 });
  expect(JSON.parse(seen.state)).toEqual({
    hasCompletedOnboarding: true,
    projects: { [project]: { hasTrustDialogAccepted: true, mcpServers: {} }, "/other": { mcpServers: {} } },
    mcpServers: { pagewire: stdio },
  });
  expect(readFileSync(path, "utf8")).toBe(state);
  expect(existsSync(seen.folder)).toBe(false);
});

test("opencode and Qwen Code are not asked where that would start a stranger's program or change the project", async () => {
  const mark = join(cli.home, "ran");
  install("sh", "");
  for (const command of ["opencode", "qwen"])
    install(command, `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`);
  const settings = join(project, ".qwen", "settings.json");
  connect("qwen-code");
  mkdirSync(dirname(settings));
  writeFileSync(settings, "{}");
  for (const entry of [
    { type: "local", command: ["sh", "-c", "rm -rf pagewire", "mcp"] },
    { type: "local", command: ["npx", ...stdio.args], environment: { NODE_OPTIONS: "--require ./evil.js" } },
  ]) {
    connect("opencode", entry);
    expect((await findings()).map(told)).toEqual([
      "hint: opencode was not asked: it would start what the project's file names, which is not what connect writes. -> If you trust that, ask it yourself: opencode mcp list",
      `hint: Qwen Code was not asked: it would rewrite ${settings}. -> If you trust that, ask it yourself: qwen mcp list`,
    ]);
  }
  expect(existsSync(mark)).toBe(false);
});

interface Started {
  readonly pids: readonly number[];
  /** The folder with its copies. */
  readonly folder: string;
}

/** A program that hangs, with a child of its own; the function resolves once both run. */
function installHanging(command: string): () => Promise<Started> {
  const log = join(cli.home, `${command}.log`);
  install(
    command,
    `const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
     process.on("SIGTERM", () => {});
     require("fs").writeFileSync(${JSON.stringify(log)}, JSON.stringify({ pids: [process.pid, child.pid], folder: process.env.CLAUDE_CONFIG_DIR }));
     setInterval(() => {}, 1000);`,
  );
  return async () => JSON.parse(await written(log)) as Started;
}

async function written(path: string): Promise<string> {
  await expect.poll(() => existsSync(path) && readFileSync(path, "utf8"), { timeout: 60_000 }).toBeTruthy();
  return readFileSync(path, "utf8");
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a program that hangs is ended with all that it started, and the others are told of", async () => {
  const started = installHanging("claude");
  const log = join(cli.home, "codex.log");
  install(
    "codex",
    `require("fs").writeFileSync(${JSON.stringify(log)}, "" + process.pid); console.log('{"enabled":true}')`,
  );
  const patience = new AbortController();
  const entries = ["claude-code", "codex"].map((id) => {
    const common = { scope: "project", name: "pagewire", entry: stdio, written: stdio } as const;
    return { ...common, client: findClient(id), path: connect(id) };
  });
  const { io } = doctor();
  const asking = { io, place: { ...io, project }, again: () => "again", patience: patience.signal };
  const examined = examinePrograms(entries, asking);
  const { pids, folder } = await started();
  const codex = Number(await written(log));
  await expect.poll(() => isRunning(codex), { timeout: 60_000 }).toBe(false);
  patience.abort();
  expect((await examined).map(told)).toEqual([
    'warning: Claude Code did not say how pagewire is: "claude mcp get pagewire" took too long and was ended. -> Ask it yourself: claude mcp get pagewire',
    "well: Codex has pagewire switched on. It starts it in a conversation only.",
  ]);
  for (const pid of pids) await expect.poll(() => isRunning(pid)).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

test("Ctrl-C ends the doctor and the programs that it asks", async () => {
  connect("claude-code");
  const started = installHanging("claude");
  const one = doctor();
  const running = one.run("doctor", "--project", project);
  const { pids, folder } = await started();
  await one.interrupt();
  expect(await running).toBe(130);
  for (const pid of pids) await expect.poll(() => isRunning(pid)).toBe(false);
  expect(existsSync(folder)).toBe(false);
});
