import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findClient } from "../../connect/clients/client-table.ts";
import { createProgramsWorld, stdio, told } from "../../test-support/programs-world.test-helper.ts";
import type { ProgramsWorld } from "../../test-support/programs-world.test-helper.ts";

let world: ProgramsWorld;
beforeEach(async () => {
  world = await createProgramsWorld();
});
afterEach(() => world.close());

/** A script that records how it is started. */
function recording(log: string, output: string): string {
  return `const fs = require("fs"), { CODEX_HOME, CLAUDE_CONFIG_DIR } = process.env;
    const text = (path) => (fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "");
    fs.writeFileSync(${JSON.stringify(log)}, JSON.stringify({ cwd: process.cwd(), content: process.env.OPENCODE_CONFIG_CONTENT,
      config: text(CODEX_HOME + "/config.toml"), settings: text(CLAUDE_CONFIG_DIR + "/settings.json") }));
    console.log(${JSON.stringify(output)});`;
}

interface Recorded {
  readonly cwd: string;
  readonly content: string;
  readonly config: string;
  readonly settings: string;
}

const recorded = (log: string) => JSON.parse(readFileSync(log, "utf8")) as Recorded;

test("Codex gets this server and the trust of folders, and nothing else of its settings", async () => {
  const { cli, connect, install, findings } = world;
  const log = join(cli.home, "log");
  const path = connect("codex", { ...stdio, tool_timeout_sec: 960 }, "user");
  const own = readFileSync(path, "utf8");
  const secrets =
    '\n[mcp_servers.other]\ncommand = "x"\nenv = { KEY = "secret" }\n[model_providers.a]\nexperimental_bearer_token = "secret"\n';
  const trust = '[projects."/a b"]\ntrust_level = "trusted"\n';
  writeFileSync(path, `model = "secret"\nproject_root_markers = [".hg"]\n${own}${secrets}${trust}note = "secret"\n`);
  install("codex", recording(log, '{"enabled":true}'));
  expect((await findings()).map(({ status }) => status)).toEqual(["enabled"]);
  const { config } = recorded(log);
  expect(await findClient("codex").format.parse(config)).toEqual({
    project_root_markers: [".hg"],
    projects: { "/a b": { trust_level: "trusted" } },
    mcp_servers: { pagewire: { ...stdio, tool_timeout_sec: 960 } },
  });
});

test("a server counts as approved wherever Claude Code has that written down", async () => {
  const { cli, project, connect, install, findings } = world;
  const log = join(cli.home, "log");
  connect("claude-code");
  mkdirSync(join(cli.home, ".claude"));
  const here = { enabledMcpjsonServers: ["pagewire"], disabledMcpjsonServers: ["a"], enableAllProjectMcpServers: true };
  const own = { enabledMcpjsonServers: ["b"], disabledMcpjsonServers: [], enableAllProjectMcpServers: false, env: {} };
  writeFileSync(join(cli.home, ".claude.json"), JSON.stringify({ projects: { [project]: here } }));
  writeFileSync(join(cli.home, ".claude", "settings.json"), JSON.stringify(own));
  install("claude", recording(log, "  Status: ✔ Connected"));
  expect((await findings()).map(({ status }) => status)).toEqual(["connected"]);
  expect(JSON.parse(recorded(log).settings)).toEqual({
    enabledMcpjsonServers: ["pagewire", "b"],
    disabledMcpjsonServers: ["a"],
    enableAllProjectMcpServers: true,
  });
});

test("Qwen Code is not asked where that would change the project", async () => {
  const { project, connect, installForbidden, findings } = world;
  const isRun = installForbidden("qwen");
  const settings = join(project, ".qwen", "settings.json");
  connect("qwen-code");
  mkdirSync(dirname(settings));
  writeFileSync(settings, "{}");
  expect((await findings()).map(told)).toEqual([
    `hint: Qwen Code was not asked: it would rewrite ${settings}. -> If you trust that, ask it yourself: qwen mcp list`,
  ]);
  expect(isRun()).toBe(false);
});

const calc = { command: "calc" };

test.each([
  {
    id: "gemini-cli",
    scope: "project",
    file: ".gemini/settings.json",
    servers: { pagewire: stdio, calc },
    other: "calc",
  },
  { id: "gemini-cli", scope: "user", file: ".gemini/settings.json", servers: { pagewire: calc }, other: "pagewire" },
  { id: "qwen-code", scope: "user", file: ".qwen/settings.json", servers: { calc }, other: "calc" },
  { id: "qwen-code", scope: "user", file: ".mcp.json", servers: { pagewire: stdio, calc }, other: "calc" },
] as const)(
  "$id ($scope) is not asked where it may start the $other that the project's $file names",
  async ({ id, scope, file, servers, other }) => {
    const { project, connect, installForbidden, findings } = world;
    const isRun = installForbidden("gemini", "qwen");
    connect(id, stdio, scope);
    const path = join(project, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ $version: 4, mcpServers: servers }));
    const own = (await findings()).filter(({ client }) => client === id);
    expect(own.map(({ status, message }) => `${status}: ${message}`)).toEqual([
      `not-asked: ${findClient(id).title} was not asked: it may start the ${other} that ${path} names.`,
    ]);
    expect(isRun()).toBe(false);
  },
);

const npx = ["npx", ...stdio.args];

test.each([
  { command: ["sh", "-c", "rm -rf pagewire", "mcp"] },
  { command: ["cmd", "/c", ...npx, "&", "calc"] },
  { command: [...npx, "--tab", "a&calc"] },
  { command: [...npx, "--tab"] },
  { command: [...npx, "--port", "1"] },
  { command: npx, environment: { NODE_OPTIONS: "--require ./evil.js" } },
  { command: npx, environment: { PAGEWIRE_DATABASE: "/evil" } },
])("opencode is not asked about an entry of the project's that connect does not write: %j", async (entry) => {
  const { connect, install, installForbidden, findings } = world;
  for (const command of ["sh", "cmd"]) install(command, "");
  const isRun = installForbidden("opencode");
  connect("opencode", { type: "local", ...entry });
  expect((await findings()).map(told)).toEqual([
    "hint: opencode was not asked: it would start what the project's file names, which is not what connect writes for a hub of this machine. -> If you trust that, ask it yourself: opencode mcp list",
  ]);
  expect(isRun()).toBe(false);
});

test("opencode is asked outside of the project, and about the fields that were checked", async () => {
  const { cli, hub, project, connect, install, findings } = world;
  const log = join(cli.home, "log");
  const command = [...npx, "--tab", "Xb3fQ0aZ19kLmN2c", "--hub", hub.url];
  const entry = { type: "local", command, environment: { PAGEWIRE_HOME: cli.home } };
  connect("opencode", { ...entry, cwd: project });
  install("opencode", recording(log, "●  ✓ pagewire connected"));
  expect((await findings()).map(({ status }) => status)).toEqual(["connected"]);
  const { cwd, content } = recorded(log);
  expect(cwd.startsWith(realpathSync(tmpdir()))).toBe(true);
  expect(cwd).not.toBe(realpathSync(project));
  expect(JSON.parse(content)).toEqual({ mcp: { pagewire: entry } });
});

test.each([
  ["node_modules/.bin/pagewire", ""],
  ["node_modules/pagewire/package.json", "{}"],
  [".npmrc", "registry=http://127.0.0.1:1"],
  ["package.json", '{"name":"a","bin":{"./pagewire":"evil.js"}}'],
  ["package.json", '{"name":"@a/pagewire","bin":"evil.js"}'],
])("no program starts npx where the project's %s decides what that starts", async (file, text) => {
  const { project, connect, installForbidden, findings } = world;
  const path = join(project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const isRun = installForbidden("claude", "gemini", "opencode", "qwen");
  for (const id of ["claude-code", "gemini-cli", "qwen-code"]) connect(id, stdio, "user");
  connect("opencode");
  const found = await findings();
  const why = `what npx starts there depends on ${file.endsWith("/package.json") ? dirname(path) : path}`;
  expect(found.map(({ message }) => message)).toEqual(
    ["Claude Code", "Gemini CLI", "opencode", "Qwen Code"].map((title) => `${title} was not asked: ${why}.`),
  );
  expect(isRun()).toBe(false);
});
