import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findClient } from "../connect/clients/client-table.ts";
import { createProgramsWorld, stdio, told } from "../test-support/programs-world.test-helper.ts";
import type { ProgramsWorld } from "../test-support/programs-world.test-helper.ts";
import { examinePrograms } from "./examine-programs.ts";
import { recordedOutputs } from "./programs/recorded-outputs.test-helper.ts";
import { programTable } from "./programs/program-table.ts";

let world: ProgramsWorld;
beforeEach(async () => {
  world = await createProgramsWorld();
});
afterEach(() => world.close());

const commandOf = (id: string) => programTable.find((program) => program.id === id)?.command ?? "";

const outputs = recordedOutputs.map(([client, output, status, finding]) => ({ client, output, status, finding }));

test.each(outputs)("doctor says in plain words what $client says, with the next step: $status", async (recorded) => {
  const { connect, install, findings } = world;
  const { client, output, status, finding } = recorded;
  const path = connect(client);
  install(commandOf(client), `process.stdout.write(${JSON.stringify(output)})`);
  const found = await findings();
  expect(found.map(told)).toEqual([finding.replace("PATH", path)]);
  expect(found).toMatchObject([{ client, status }]);
});

test("a program that is not installed is no failure", async () => {
  const { connect, findings } = world;
  for (const { id } of programTable) connect(id);
  const found = await findings();
  expect(found.map(({ state, status }) => [state, status])).toEqual(programTable.map(() => ["well", "not-installed"]));
  expect(found[0]?.message).toBe("Claude Code was not asked: there is no claude on the PATH.");
});

test("a person at a terminal sees whom the doctor asks, which takes a moment", async () => {
  const { project, connect, doctor } = world;
  connect("codex");
  const one = doctor(true);
  expect(await one.run("doctor", "--project", project)).toBe(0);
  expect(one.err()).toBe("Asking Codex…\n");
});

test("a program whose client does not know Pagewire is not run", async () => {
  const { cli, hub, connect, install, findings } = world;
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

test("doctor reports an entry whose command is not installed, and does not run the program for it", async () => {
  const { project, connect, install, doctor } = world;
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
  const { cli, project, install, findings } = world;
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

test("doctor reports a setting that cannot be read, and asks the other programs", async () => {
  const { cli, connect, install, findings } = world;
  connect("claude-code");
  connect("gemini-cli");
  install("claude", 'console.log("  Status: ✔ Connected")');
  install("gemini", "");
  const path = join(cli.home, ".gemini", "trustedFolders.json");
  mkdirSync(dirname(path));
  writeFileSync(path, Buffer.from("\u{feff}{}", "utf16le"));
  const found = await findings();
  expect(found.map(({ status }) => status)).toEqual(["connected", "unclear"]);
  expect(found[1]?.message).toContain(`Gemini CLI did not say how pagewire is: The file ${path} cannot be read`);
});

test("without a folder for temporary files the doctor says so of each program, and the rest of its findings", async () => {
  const { cli, connect, installForbidden, findings } = world;
  for (const id of ["claude-code", "codex"]) connect(id);
  const isRun = installForbidden("claude", "codex");
  vi.stubEnv("TMPDIR", join(cli.home, "missing"));
  try {
    const found = await findings();
    expect(found.map(({ status }) => status)).toEqual(["unclear", "unclear"]);
    for (const { message } of found) expect(message).toContain("ENOENT");
  } finally {
    vi.unstubAllEnvs();
  }
  expect(isRun()).toBe(false);
});

interface Started {
  readonly pids: readonly number[];
  /** The folder with its copies. */
  readonly folder: string;
}

/** A program that hangs, with a child of its own; the function resolves once both run. */
function installHanging(command: string): () => Promise<Started> {
  const { cli, install } = world;
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

test("a program that hangs is ended with all that it started, and doctor reports the others", async () => {
  const { cli, project, connect, install, doctor } = world;
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
  const { project, connect, doctor } = world;
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

test("after Ctrl-C nothing of any program is left once the doctor has ended", async () => {
  const { cli, project, connect, install, doctor } = world;
  for (const id of ["claude-code", "codex"]) connect(id);
  const started = installHanging("claude");
  const log = join(cli.home, "codex.log");
  // A child that has left the group holds the output open, so that this program takes longer to end.
  install(
    "codex",
    `const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "inherit" });
     require("fs").writeFileSync(${JSON.stringify(log)}, JSON.stringify({ child: child.pid, folder: process.env.CODEX_HOME }));
     setInterval(() => {}, 1000);`,
  );
  const one = doctor();
  const running = one.run("doctor", "--project", project);
  const { folder } = await started();
  const codex = JSON.parse(await written(log)) as { child: number; folder: string };
  try {
    await one.interrupt();
    expect(await running).toBe(130);
    expect([folder, codex.folder].filter((each) => existsSync(each))).toEqual([]);
  } finally {
    process.kill(codex.child, "SIGKILL");
  }
});
