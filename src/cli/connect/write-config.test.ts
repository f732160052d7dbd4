import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { defaultLimits } from "../../wire/index.ts";
import { findClient } from "./clients/client-table.ts";
import { createConnectTest, npxEntry } from "../test-support/connect.test-helper.ts";
import type { ConnectTest, Written } from "../test-support/connect.test-helper.ts";

let cli: TestIo;
let project: string;
let terminal: ConnectTest["terminal"];
let connect: ConnectTest["connect"];
let close: () => void;

beforeEach(() => {
  ({ cli, project, terminal, connect, close } = createConnectTest());
});
afterEach(() => close());

const projectFiles = [
  ["claude-code", ".mcp.json"],
  ["cursor", ".cursor/mcp.json"],
  ["vscode", ".vscode/mcp.json"],
  ["codex", ".codex/config.toml"],
  ["gemini-cli", ".gemini/settings.json"],
  ["opencode", "opencode.json"],
  ["copilot-cli", ".github/mcp.json"],
  ["qwen-code", ".qwen/settings.json"],
] as const;

test.each(projectFiles)(
  "%s writes %s in the project, and a second time says that it is there",
  async (client, file) => {
    const path = join(project, file);
    expect(await connect<Written>([client, "--write"])).toMatchObject({ path, result: "created" });
    const text = readFileSync(path, "utf8");
    expect(text).toContain("pagewire");
    expect(await connect<Written>([client, "--write"])).toMatchObject({ path, result: "unchanged" });
    expect(readFileSync(path, "utf8")).toBe(text);
    const again = terminal();
    expect(await again.run("connect", client, "--write", "--project", project)).toBe(0);
    expect(again.out().replaceAll("\n", " ")).toContain(
      `${path} names pagewire already, just so. Nothing was changed.`,
    );
  },
);

test.each([
  ["claude-code", {}, ".claude.json"],
  ["claude-code", { CLAUDE_CONFIG_DIR: "work" }, "work/.claude.json"],
  ["cursor", {}, ".cursor/mcp.json"],
  ["vscode", {}, ".config/Code/User/mcp.json"],
  ["vscode", { XDG_CONFIG_HOME: "config" }, "config/Code/User/mcp.json"],
  ["codex", {}, ".codex/config.toml"],
  ["codex", { CODEX_HOME: "codex" }, "codex/config.toml"],
  ["gemini-cli", {}, ".gemini/settings.json"],
  ["opencode", {}, ".config/opencode/opencode.json"],
  ["opencode", { XDG_CONFIG_HOME: "config" }, "config/opencode/opencode.json"],
  ["copilot-cli", {}, ".copilot/mcp-config.json"],
  ["copilot-cli", { COPILOT_HOME: "copilot" }, "copilot/mcp-config.json"],
  ["qwen-code", {}, ".qwen/settings.json"],
  ["claude-desktop", {}, ".config/Claude/claude_desktop_config.json"],
  ["claude-desktop", { XDG_CONFIG_HOME: "config" }, "config/Claude/claude_desktop_config.json"],
  ["windsurf", {}, ".codeium/windsurf/mcp_config.json"],
  ["zed", {}, ".config/zed/settings.json"],
  ["zed", { XDG_CONFIG_HOME: "config" }, "config/zed/settings.json"],
  ["lm-studio", {}, ".lmstudio/mcp.json"],
  ["inspector", {}, ".mcp-inspector/mcp.json"],
  ["inspector", { MCP_CATALOG_PATH: "catalog.json" }, "catalog.json"],
])("%s with --user and %j writes %s of the home directory", async (client, variables, file) => {
  const own = Object.entries(variables).map(([name, value]) => [name, join(cli.home, value)]);
  const environment = { PAGEWIRE_HOME: "", ...Object.fromEntries(own) };
  const path = join(cli.home, file);
  expect(await connect<Written>([client, "--write", "--user"], { environment })).toMatchObject({
    path,
    result: "created",
  });
});

test.each([
  ["vscode", ["Code", "User", "mcp.json"], ["Code", "User", "mcp.json"]],
  ["claude-desktop", ["Claude", "claude_desktop_config.json"], ["Claude", "claude_desktop_config.json"]],
  ["zed", [], ["Zed", "settings.json"]],
])("on Windows and macOS, the file of %s is where that system keeps an app's settings", (id, mac, windows) => {
  const { configPath } = findClient(id);
  const paths = [
    configPath("user", { ...cli.io, project, platform: "darwin" }),
    configPath("user", { ...cli.io, project, platform: "win32" }),
    configPath("user", { ...cli.io, project, platform: "win32", environment: { APPDATA: "/roaming" } }),
  ];
  expect(paths).toEqual([
    id === "zed"
      ? join(cli.home, ".config", "zed", "settings.json")
      : join(cli.home, "Library", "Application Support", ...mac),
    join(cli.home, "AppData", "Roaming", ...windows),
    join("/roaming", ...windows),
  ]);
});

test("Codex's entry goes into the user's own file unless a project is named, because it reads only trusted projects", async () => {
  const codex = terminal();
  expect(await codex.run("connect", "codex", "--write")).toBe(0);
  expect(readFileSync(join(cli.home, ".codex", "config.toml"), "utf8")).toContain("[mcp_servers.pagewire]");
});

test("Codex gets the time that the hub has for a call, unless its user has written another", async () => {
  const path = join(project, ".codex", "config.toml");
  const write = () => connect<Written>(["codex", "--write"]);
  await write();
  const whole = readFileSync(path, "utf8");
  const [, seconds = "0"] = /^tool_timeout_sec = (\d+)$/m.exec(whole) ?? [];
  expect(Number(seconds) * 1000).toBeGreaterThan(defaultLimits.callTimeMost);
  for (const [time, result] of [
    ["", "replaced"],
    [`tool_timeout_sec = ${seconds}\n`, "unchanged"],
    ["tool_timeout_sec = 5\n", "unchanged"],
  ] as const) {
    writeFileSync(path, whole.replace(/^tool_timeout_sec.*\n/m, time));
    expect([(await write()).result, (await write()).result]).toEqual([result, "unchanged"]);
    expect(readFileSync(path, "utf8").match(/^tool_timeout_sec.*\n/gm)).toEqual([
      time || `tool_timeout_sec = ${seconds}\n`,
    ]);
  }
});

test("an existing file is changed in one place, and an existing entry keeps its other fields", async () => {
  const path = join(project, ".vscode", "mcp.json");
  mkdirSync(dirname(path));
  writeFileSync(path, `{\n  // ours\n  "servers": { "pagewire": { "url": "http://x", "dev": {} }, },\n}\n`);
  expect(await connect<Written>(["vscode", "--write"])).toMatchObject({ result: "replaced" });
  expect(readFileSync(path, "utf8")).toMatch(/^\{\n {2}\/\/ ours\n {2}"servers": \{ "pagewire": \{[^]*\}, \},\n\}\n$/);
  expect(readFileSync(path, "utf8")).toContain('"dev": {}');
  expect(await connect<Written>(["vscode", "--write", "--name", "other"])).toMatchObject({ result: "added" });
  expect(await connect<Written>(["vscode", "--write"])).toMatchObject({ result: "unchanged" });
});

test.each(projectFiles)(
  "a file of %s's that cannot be read is refused by name, left as it is, with what to put in",
  async (client, file) => {
    const path = join(project, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{ "mcpServers": ');
    chmodSync(path, 0o640);
    expect(await cli.run("connect", client, "--write", "--project", project)).toBe(2);
    expect(cli.err()).toContain(`The file ${path} cannot be changed safely: line 1, column `);
    expect(cli.err()).toContain("It was left as it is. Put it right, or put this into it by hand:\n");
    expect(cli.err()).toContain("pagewire");
    expect(readFileSync(path, "utf8")).toBe('{ "mcpServers": ');
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  },
);

test("a dry run shows the changes, and writes nothing", async () => {
  expect(await connect<Written>(["cursor", "--dry-run"])).toMatchObject({
    result: "created",
    isDry: true,
    entry: npxEntry,
  });
  expect(await cli.run("connect", "cursor", "--write", "--dry-run", "--project", project)).toBe(0);
  expect(cli.out().replaceAll("\n", " ")).toContain(`${project}/.cursor/mcp.json would be made, with pagewire in it:`);
  expect(cli.out()).toContain('"command": "npx"');
  expect(readdirSync(project)).toEqual(["node_modules"]);
});

test("settings that Zed keeps beside its servers stay as they are, comments too", async () => {
  const path = join(cli.home, ".config", "zed", "settings.json");
  mkdirSync(dirname(path), { recursive: true });
  const text = '// Mine\n{\n  "theme": "One Dark", // dark\n  "vim_mode": true\n}\n';
  writeFileSync(path, text);
  expect(await connect<Written>(["zed", "--write", "--user"])).toMatchObject({ result: "added" });
  const after = readFileSync(path, "utf8");
  expect(after).toContain('// Mine\n{\n  "theme": "One Dark", // dark\n  "vim_mode": true');
  expect(after).toContain('"context_servers"');
});

test("after writing, it prints what to restart and how to check", async () => {
  expect(await cli.run("connect", "cursor", "--write", "--project", project)).toBe(0);
  expect(cli.out()).toContain("Restart Cursor.\n");
  expect(cli.out()).toContain("Cursor's settings list pagewire among its MCP servers");
});

test.each([
  ["the file", (outside: string) => symlinkSync(join(outside, "bashrc"), join(project, ".cursor", "mcp.json"))],
  ["its folder", (outside: string) => symlinkSync(outside, join(project, ".vscode"))],
  [
    "the file, by links that each stay inside",
    (outside: string) => {
      symlinkSync(outside, join(project, "here"));
      symlinkSync("../here/mcp.json", join(project, ".cursor", "mcp.json"));
    },
  ],
])(
  "a link of a project that leads %s out of it is not written through, and the real file is named",
  async (_, link) => {
    const outside = mkdtempSync(join(tmpdir(), "pagewire-outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    mkdirSync(join(project, ".cursor"));
    link(outside);
    for (const words of [["cursor"], ["vscode"]]) {
      const one = terminal();
      const code = await one.run("connect", ...words, "--write", "--project", project);
      if (code === 0) continue;
      expect(code).toBe(2);
      expect(one.err()).toContain(`is a link to ${realpathSync(outside)}/`);
      expect(one.err()).toContain(`outside of the project, ${project}. Nothing was written.`);
    }
    expect(readdirSync(outside)).toEqual([]);
  },
);

test("a link of the user's own file that leaves the home directory is refused, and one within it is named by its real path", async () => {
  mkdirSync(join(cli.home, "dotfiles"));
  mkdirSync(join(cli.home, ".cursor"));
  symlinkSync("../dotfiles/cursor.json", join(cli.home, ".cursor", "mcp.json"));
  const path = join(realpathSync(cli.home), "dotfiles", "cursor.json");
  expect(await connect<Written>(["cursor", "--write", "--user"])).toMatchObject({ path, result: "created" });
  expect(readFileSync(path, "utf8")).toContain("pagewire");
  symlinkSync(join(project, "somewhere.toml"), join(cli.home, "config.toml"));
  mkdirSync(join(cli.home, ".codex"));
  symlinkSync("../config.toml", join(cli.home, ".codex", "config.toml"));
  const one = terminal();
  expect(await one.run("connect", "codex", "--write", "--user")).toBe(2);
  expect(one.err()).toContain("outside of your own configuration");
  expect(readdirSync(project)).toEqual(["node_modules"]);
});
