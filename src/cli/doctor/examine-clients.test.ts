import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientTable } from "../connect/clients/client-table.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import type { Finding } from "./finding.ts";

let cli: TestIo;
let hub: TestHub;
let project: string;

beforeEach(async () => {
  cli = createTestIo();
  hub = await startTestHub(cli);
  project = mkdtempSync(join(tmpdir(), "pagewire-project-"));
});
afterEach(async () => {
  await hub.close();
  cli.close();
  rmSync(project, { recursive: true, force: true });
});

/** Runs the doctor, and returns its findings about clients as "state: message -> advice". */
async function findings(exitCode = 0): Promise<readonly string[]> {
  const one = createTestIo({ home: cli.home });
  expect([await one.run("doctor", "--json", "--project", project), one.err()]).toEqual([exitCode, ""]);
  const all = (JSON.parse(one.out()) as { findings: Finding[] }).findings;
  return all
    .filter(({ about }) => about === "clients")
    .map(({ state, message, advice = [] }) => [`${state}: ${message}`, ...advice].join(" -> "));
}

function write(path: string, value: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const stdio = { command: "npx", args: ["-y", "pagewire", "mcp"] };
const servers = (entry: object, name = "pagewire") => ({ mcpServers: { [name]: entry } });

test("without client files there are no findings on clients", async () => {
  expect(await findings()).toEqual([]);
});

test("an entry that `connect` wrote is found for every client, and reaches the hub", async () => {
  const files = [];
  cli.state.agentToken();
  for (const client of clientTable) {
    const isOfProjects = client.configPath("project", { ...cli.io, project }) !== undefined;
    for (const where of isOfProjects ? [["--project", project], ["--user"]] : [["--user"]]) {
      const one = createTestIo({ home: cli.home });
      expect(await one.run("connect", client.id, "--json", "--write", "--absolute", ...where)).toBe(0);
      const { path, entry } = JSON.parse(one.out()) as {
        path: string;
        entry: { command: string | string[]; args?: string[] };
      };
      const [program = ""] = entry.args ?? entry.command.slice(1);
      // This package may not have been built: any existing file can replace its program.
      write(path, readFileSync(path, "utf8").replaceAll(program, cli.state.tokenPath));
      files.push(path);
    }
  }
  const found = await findings();
  expect(found).toHaveLength(files.length);
  for (const path of files) expect(found.join("\n")).toContain(`pagewire in ${path} reaches the hub at ${hub.url}.`);
  expect(found.every((finding) => finding.startsWith("well: "))).toBe(true);
});

test("an address and a variable for the token count in every client's own words", async () => {
  const address = { httpUrl: `${hub.url}/mcp`, headers: { Authorization: "Bearer $PAGEWIRE_TOKEN" } };
  const gemini = write(join(project, ".gemini", "settings.json"), servers(address, "pages"));
  const remote = { type: "remote", url: `${hub.url}/mcp`, headers: { Authorization: "Bearer {env:PAGEWIRE_TOKEN}" } };
  const opencode = write(join(project, "opencode.json"), { mcp: { pages: remote } });
  expect(await findings()).toEqual([
    `well: Gemini CLI: pages in ${gemini} reaches the hub at ${hub.url}.`,
    `well: opencode: pages in ${opencode} reaches the hub at ${hub.url}.`,
  ]);
});

test("an entry of Claude Code for one project counts for that project only", async () => {
  const path = write(join(cli.home, ".claude.json"), {
    projects: { [project]: servers(stdio, "local"), "/elsewhere": servers(stdio, "other") },
  });
  expect(await findings()).toEqual([`well: Claude Code: local in ${path} reaches the hub at ${hub.url}.`]);
});

test("a client with a file but no entry is listed with the command that connects it", async () => {
  write(join(project, ".cursor", "mcp.json"), servers({ url: "http://127.0.0.1:1/mcp" }, "other"));
  expect(await findings()).toEqual([
    "hint: Cursor is set up here and does not know Pagewire. -> Connect it with: npx pagewire connect cursor --write",
  ]);
});

test("an entry with an address where no hub runs is reported; one without an address may start a hub", async () => {
  const path = write(join(project, ".mcp.json"), {
    mcpServers: {
      pagewire1: { type: "http", url: "http://127.0.0.1:1/mcp/tabs/x" },
      pagewire2: { ...stdio, args: [...stdio.args, "--hub", "http://127.0.0.1:1"] },
      pagewire3: { ...stdio, env: { PAGEWIRE_HOME: "/nowhere" } },
      pagewire4: { type: "http", url: "${PAGEWIRE_URL}/mcp" },
      hub: { type: "http", url: `${hub.url}/mcp` },
    },
  });
  const again = "npx pagewire connect claude-code --write";
  expect(await findings()).toEqual([
    `hint: Claude Code: pagewire1 in ${path} looks for a hub at http://127.0.0.1:1, where none answers. -> Start one, or rewrite the entry with: ${again} --name pagewire1`,
    `hint: Claude Code: pagewire2 in ${path} looks for a hub at http://127.0.0.1:1, where none answers. -> Start one, or rewrite the entry with: ${again} --name pagewire2`,
    `hint: Claude Code: pagewire3 in ${path} finds no hub at the moment. -> It starts one when it is needed, or you do: npx pagewire`,
    `well: Claude Code: pagewire4 in ${path} is there.`,
    `well: Claude Code: hub in ${path} reaches the hub at ${hub.url}.`,
  ]);
});

test("a missing program is named", async () => {
  const script = join(project, "gone", "pagewire.js");
  const path = write(
    join(cli.home, ".cursor", "mcp.json"),
    servers({ command: process.execPath, args: [script, "mcp"] }),
  );
  expect(await findings()).toEqual([
    `hint: Cursor: pagewire in ${path} starts ${script}, which no longer exists. -> Rewrite it with: npx pagewire connect cursor --write --user`,
  ]);
});

test("a bare command in the file of an app that is started from a menu is reported", async () => {
  const path = write(join(cli.home, ".config", "Claude", "claude_desktop_config.json"), servers(stdio));
  expect(await findings()).toEqual([
    `hint: Claude Desktop: pagewire in ${path} starts "npx", which an app that is started from a menu may not find. -> Give it full paths: npx pagewire connect claude-desktop --write`,
  ]);
});

test("what a client leaves out of the hub's tools is counted and named", async () => {
  const tool = (name: string) => ({ name, description: "Does it.", inputSchema: { type: "object" } }) as const;
  const long = ["a", "b", "c"].map((letter) => letter.repeat(52));
  const page = await hub.page({ tools: [...long, "d".repeat(51)].map(tool) });
  const path = write(join(project, ".cursor", "mcp.json"), servers(stdio));
  const reaches = `well: Cursor: pagewire in ${path} reaches the hub at ${hub.url}.`;
  expect(await findings()).toEqual([
    reaches,
    `hint: Cursor leaves out 3 of the hub's 7 tools, because their names and "pagewire" have 60 characters or more: ${long[0]}, ${long[1]} and 1 more. -> call_tab_tool reaches them all the same. A shorter --name, or a shorter name of the tool, brings them back.`,
  ]);
  page.close();
  await hub.page({ tools: Array.from({ length: 50 }, (_, index) => tool(`tool_${index}`)) });
  expect((await findings()).at(-1)).toContain("hint: Cursor may use only 40 of the hub's ");
  write(path, servers({ ...stdio, args: [...stdio.args, "--tab", "7"] }));
  expect(await findings()).toEqual([reaches]);
});

test("an unreadable file is named, and not changed", async () => {
  const path = write(join(cli.home, ".codex", "config.toml"), "[mcp_servers.pagewire\n");
  expect(await findings()).toEqual([
    `hint: Codex may not be able to read ${path}: line 1, column 22: illegal character in key -> Put the file right; nothing in it was changed.`,
  ]);
});

test("a token in a shared project file is a warning with a remedy", async () => {
  const token = cli.state.agentToken();
  const http = (file: string, entry: object | string) => write(join(project, file), entry);
  const url = `${hub.url}/mcp`;
  http(".mcp.json", servers({ type: "http", url, headers: { Authorization: `Bearer ${token}` } }));
  http(".cursor/mcp.json", servers({ ...stdio, env: { PAGEWIRE_TOKEN: token } }));
  http(".vscode/mcp.json", {
    servers: { pagewire: { command: "npx", args: ["mcp-remote", url, `Authorization: Bearer ${token}`] } },
  });
  http(
    ".codex/config.toml",
    `[mcp_servers.pagewire]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }\n`,
  );
  const found = await findings();
  const warnings = found.filter((finding) => finding.startsWith("warning: "));
  expect(warnings.map((finding) => finding.split(": ")[1])).toEqual(["Claude Code", "Cursor", "VS Code", "Codex"]);
  expect(warnings[3]).toContain("holds a token, and the file is one that a project shares.");
  expect(warnings[3]).toContain("npx pagewire connect codex --write --project .");
  expect(warnings[3]).toContain("npx pagewire token rotate");
  expect(found.join()).not.toContain(token);
  expect(await cli.run("doctor", "--project", project)).toBe(0);
  expect(cli.out()).toContain("warn Claude Code: pagewire in ");
});

test("a variable is not a token; the user's own file may have one, which must be the hub's", async () => {
  const url = `${hub.url}/mcp`;
  const bearer = (token: string) => servers({ url, headers: { Authorization: `Bearer ${token}` } });
  write(join(project, ".cursor", "mcp.json"), bearer("${env:PAGEWIRE_TOKEN}"));
  const path = write(join(cli.home, ".cursor", "mcp.json"), bearer(cli.state.agentToken()));
  expect((await findings()).every((finding) => finding.startsWith("well: "))).toBe(true);
  cli.state.rotateAgentToken();
  expect((await findings()).filter((finding) => !finding.startsWith("well: "))).toEqual([
    `hint: Cursor: pagewire in ${path} uses a token that this hub no longer accepts. -> Rewrite it with: npx pagewire connect cursor --write --user`,
  ]);
});

test("clients are examined even if no hub runs", async () => {
  const path = write(join(project, ".mcp.json"), servers(stdio));
  await hub.hub.close();
  expect(await findings(3)).toEqual([expect.stringContaining(`Claude Code: pagewire in ${path}`)]);
});
