import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findClient } from "../connect/clients/client-table.ts";
import { codesOf, createConnectTest, npxEntry } from "../test-support/connect.test-helper.ts";
import type { ConnectTest } from "../test-support/connect.test-helper.ts";
import { connectionFor } from "../connect/connection.ts";
import { openState } from "../../state/index.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

const announced = { url: "http://127.0.0.1:7400", port: 7400, pid: process.pid, version: "1" };

let cli: TestIo;
let project: string;
let terminal: ConnectTest["terminal"];
let connect: ConnectTest["connect"];
let close: () => void;

beforeEach(() => {
  ({ cli, project, terminal, connect, close } = createConnectTest());
});
afterEach(() => close());

test("without a client, every client is listed with one line", async () => {
  expect(await cli.run("connect")).toBe(0);
  const lines = cli.out().trimEnd().split("\n").slice(1, -2);
  expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "codex",
    "gemini-cli",
    "opencode",
    "copilot-cli",
    "qwen-code",
    "windsurf",
    "zed",
    "lm-studio",
    "inspector",
  ]);
  expect(await connect<object>([])).toMatchObject({
    clients: [{ id: "claude-code", title: "Claude Code" }, ...Array.from({ length: 12 }, () => ({}))],
  });
});

test("the error for an unknown client lists the known ones and suggests one", async () => {
  expect(await cli.run("connect", "curser")).toBe(2);
  expect(cli.err()).toBe(
    'Error: There is no client "curser". Known are: claude-code, claude-desktop, cursor, vscode, codex, gemini-cli, opencode, copilot-cli, qwen-code, windsurf, zed, lm-studio, inspector. Did you mean "cursor"?\n',
  );
  expect(await cli.run("connect", "--write")).toBe(2);
  expect(cli.err()).toContain("Which client? See them with: npx pagewire connect\n");
});

test("for people, two named ways are printed, then what to restart and how to check", async () => {
  expect(await cli.run("connect", "claude-code", "--project", project)).toBe(0);
  const out = cli.out();
  const order = [
    "Claude Code by stdio: it starts a small program, and no token is written anywhere\n",
    "    claude mcp add pagewire -- npx -y pagewire mcp\n",
    `    npx pagewire connect claude-code --write --project ${project}\n`,
    "Claude Code by HTTP: it speaks to http://127.0.0.1:7337/mcp itself, and needs the token\n",
    `    claude mcp add --transport http pagewire http://127.0.0.1:7337/mcp --header "Authorization: Bearer `,
    "\nThen\n",
    "/mcp shows pagewire as connected",
  ].map((text) => out.indexOf(text));
  expect(order.every((place, index) => place > (order[index - 1] ?? -1))).toBe(true);
});

test("the token is shown only where a client takes it on the command line, and marked as a secret", async () => {
  const directory = join(cli.home, ".local", "state", "pagewire");
  const state = openState(directory);
  state.announceHub(announced);
  for (const client of ["claude-code", "cursor", "vscode", "codex", "inspector"]) {
    const { stdio, http } = await connect([client, ...(client === "inspector" ? ["--user"] : [])]);
    const token = state.agentToken();
    expect(JSON.stringify(stdio)).not.toContain(token);
    const telling = http.steps.filter(({ code = "" }) => code.includes(token));
    expect(telling.map(({ isSecret }) => isSecret)).toEqual(
      client === "claude-code" || client === "inspector" ? [true] : [],
    );
    const one = terminal();
    await one.run("connect", client, "--user");
    expect([one.out().includes(token), one.out().includes("which is a secret")]).toEqual(
      telling.length > 0 ? [true, true] : [false, false],
    );
  }
});

test("the token is not shown for an address where no hub of this state directory runs", async () => {
  const token = openState(join(cli.home, ".local", "state", "pagewire")).agentToken();
  for (const client of ["claude-code", "inspector"]) {
    for (const hub of [[], ["--hub", "http://127.0.0.1:7500"]]) {
      const { stdio, http } = await connect([client, "--user", ...hub]);
      expect(JSON.stringify([stdio, http])).not.toContain(token);
      expect(http.steps.filter(({ isSecret }) => isSecret)).toEqual([]);
      expect(codesOf(http.steps).join()).toContain("Bearer <the hub's token>");
    }
  }
});

test("Claude Code gets its own commands and the entry of .mcp.json", async () => {
  const { stdio, http } = await connect(["claude-code"]);
  const [here, everywhere, , file] = codesOf(stdio.steps);
  expect(here).toBe("claude mcp add pagewire -- npx -y pagewire mcp");
  expect(everywhere).toContain("claude mcp add --scope user pagewire -- ");
  expect(JSON.parse(file ?? "")).toEqual({ mcpServers: { pagewire: npxEntry } });
  expect(JSON.parse(codesOf(http.steps)[1] ?? "")).toEqual({
    mcpServers: {
      pagewire: { type: "http", url: http.url, headers: { Authorization: "Bearer ${PAGEWIRE_TOKEN}" } },
    },
  });
});

test("Cursor gets the entries of its mcp.json", async () => {
  const { stdio, http } = await connect(["cursor"]);
  expect(JSON.parse(codesOf(stdio.steps)[1] ?? "")).toEqual({ mcpServers: { pagewire: npxEntry } });
  expect(JSON.parse(codesOf(http.steps)[0] ?? "")).toEqual({
    mcpServers: { pagewire: { url: http.url, headers: { Authorization: "Bearer ${env:PAGEWIRE_TOKEN}" } } },
  });
});

test("VS Code gets its servers, an input for the token, and its own command", async () => {
  const { stdio, http } = await connect(["vscode", "--absolute"]);
  const full = { ...npxEntry, command: process.execPath, args: [join(process.cwd(), "dist", "cli", "main.js"), "mcp"] };
  const [, file, add] = codesOf(stdio.steps);
  expect(JSON.parse(file ?? "")).toEqual({ servers: { pagewire: full } });
  expect(add).toBe(`code --add-mcp '${JSON.stringify({ name: "pagewire", ...full })}'`);
  expect(JSON.parse(codesOf(http.steps)[0] ?? "")).toMatchObject({
    inputs: [{ type: "promptString", id: "pagewire-token", password: true }],
    servers: {
      pagewire: { type: "http", url: http.url, headers: { Authorization: "Bearer ${input:pagewire-token}" } },
    },
  });
});

test("Codex gets its own commands and its table", async () => {
  const { stdio, http } = await connect(["codex"]);
  const [add, , file] = codesOf(stdio.steps);
  expect(add).toContain("codex mcp add pagewire -- ");
  expect(file).toBe(
    `[mcp_servers.pagewire]\ncommand = "npx"\nargs = ["-y", "pagewire", "mcp"]\ntool_timeout_sec = 960`,
  );
  expect(codesOf(http.steps)).toEqual([
    'export PAGEWIRE_TOKEN="$(npx pagewire token show)"',
    `codex mcp add pagewire --url ${http.url} --bearer-token-env-var PAGEWIRE_TOKEN`,
    `[mcp_servers.pagewire]\nurl = "${http.url}"\nbearer_token_env_var = "PAGEWIRE_TOKEN"\ntool_timeout_sec = 960`,
  ]);
});

test("Gemini CLI, Qwen Code, opencode and Copilot CLI get entries in words of their own", async () => {
  const [gemini, qwen, opencode, copilot] = await Promise.all(
    ["gemini-cli", "qwen-code", "opencode", "copilot-cli"].map((client) => connect([client])),
  );
  const started = { command: "npx", args: ["-y", "pagewire", "mcp"] };
  expect([gemini?.stdio.entry, qwen?.stdio.entry]).toEqual([started, started]);
  expect(opencode?.stdio.entry).toEqual({ type: "local", command: ["npx", "-y", "pagewire", "mcp"] });
  expect(copilot?.stdio.entry).toEqual({ type: "local", ...started, tools: ["*"] });
  const tokens = [gemini, qwen, opencode, copilot].map((shown) =>
    /Bearer [^"]*/.exec(shown?.http.steps[0]?.code ?? ""),
  );
  expect(tokens.map((found) => found?.[0])).toEqual([
    "Bearer $PAGEWIRE_TOKEN",
    "Bearer $PAGEWIRE_TOKEN",
    "Bearer {env:PAGEWIRE_TOKEN}",
    "Bearer ${PAGEWIRE_TOKEN}",
  ]);
});

test("Claude Desktop and LM Studio, started from a menu, get full paths, and nothing about an address", async () => {
  const entry = {
    type: "stdio",
    command: process.execPath,
    args: [join(process.cwd(), "dist", "cli", "main.js"), "mcp"],
  };
  for (const client of ["claude-desktop", "lm-studio"]) {
    const { stdio, http } = await connect([client, "--user"]);
    expect([stdio.entry, http.steps]).toEqual([entry, []]);
    const one = terminal();
    expect(await one.run("connect", client)).toBe(0);
    expect(one.out()).not.toContain("by HTTP");
  }
});

test("Windsurf takes an address under a name of its own, and Zed the servers of its settings", async () => {
  const windsurf = await connect(["windsurf", "--user"]);
  expect(JSON.parse(codesOf(windsurf.http.steps)[0] ?? "")).toEqual({
    mcpServers: {
      pagewire: { serverUrl: windsurf.http.url, headers: { Authorization: "Bearer ${env:PAGEWIRE_TOKEN}" } },
    },
  });
  const zed = await connect(["zed", "--user"]);
  expect(codesOf(zed.stdio.steps)[1]).toContain('"context_servers"');
});

test("connect states a client's limits, and a name that leaves none of the hub's own tools is refused", async () => {
  const { notes } = await connect(["cursor", "--name", "sales"]);
  expect(notes.join()).toContain(
    'Cursor may use no more than 40 tools of all servers together, and leaves out a tool whose name and "sales" have 60 characters or more.',
  );
  expect((await connect(["claude-code"])).notes.join()).not.toContain("may use no more");
  await connect(["cursor", "--name", "n".repeat(42)]);
  expect(await cli.run("connect", "cursor", "--name", "n".repeat(43))).toBe(2);
  expect(cli.err()).toContain("--name may have 42 characters");
});

test("the Inspector gets a command line for each way, and has no project file", async () => {
  const { stdio, http } = await connect(["inspector", "--user"]);
  const program = "npx @modelcontextprotocol/inspector --cli";
  const script = join(process.cwd(), "dist", "cli", "main.js");
  expect(codesOf(stdio.steps)[0]).toBe(`${program} ${process.execPath} ${script} mcp --method tools/list`);
  expect(codesOf(stdio.steps).at(-1)).toBe(`${program} --server pagewire --method tools/list`);
  expect(codesOf(http.steps)[0]).toContain(`${program} ${http.url} --transport http --header "Authorization: Bearer `);
  expect(await cli.run("connect", "inspector", "--project", project)).toBe(2);
  expect(cli.err()).toContain("MCP Inspector has no file of a project's. Leave out --project.");
});

test("the endpoint is that of the running or the named hub; a tab has its own", async () => {
  cli.state.announceHub(announced);
  const environment = { PAGEWIRE_HOME: cli.home };
  const running = await connect(["cursor"], { environment });
  expect(running.http.url).toBe("http://127.0.0.1:7400/mcp");
  expect(running.notes.join()).not.toContain("No hub runs");
  expect((await connect(["cursor"])).notes.join()).toContain(
    "No hub runs at the moment. Start one first: npx pagewire",
  );
  const named = await connect(["cursor", "--hub", "ws://localhost:7500/", "--tab", "a/b", "--name", "sales_1"]);
  expect(named.http.url).toBe("http://localhost:7500/mcp/tabs/a%2Fb");
  expect(named.stdio.entry).toMatchObject({
    args: ["-y", "pagewire", "mcp", "--tab", "a/b", "--hub", "ws://localhost:7500/"],
  });
  expect(codesOf(named.stdio.steps)[1]).toContain('"sales_1"');
  expect(named.notes.join()).toContain("This is for tab a/b alone");
});

test.each([
  [["cursor", "--name", "my hub"], "--name must be 1 to 64 letters, digits, dashes or underscores"],
  [["claude-code", "--name", "workspace"], 'Claude Code keeps the name "workspace" for itself'],
  [["cursor", "--tab", "a b"], '"a b" is not the id of a tab'],
  [["cursor", "--hub", "nowhere"], "is not the address of a hub"],
  [["cursor", "--user", "--project", "."], "Give --project or --user, not both."],
])("connect %j is refused with what to write instead", async (args, why) => {
  expect(await cli.run("connect", ...args)).toBe(2);
  expect(cli.err()).toContain(why);
});

test("if npx would not find this package, its full path is used, with a note for shared files", async () => {
  const bare = mkdtempSync(join(tmpdir(), "pagewire-bare-"));
  const script = join(process.cwd(), "dist", "cli", "main.js");
  const { stdio, notes } = await connect(["cursor", "--project", bare]);
  expect(stdio.entry).toEqual({ type: "stdio", command: process.execPath, args: [script, "mcp"] });
  expect(notes.join()).toContain("names paths of this machine");
  const { stdio: inProject, notes: none } = await connect(["cursor"]);
  expect(inProject.entry).toEqual(npxEntry);
  expect(none.join()).not.toContain("paths of this machine");
  rmSync(bare, { recursive: true });
});

test("on Windows, clients that cannot start npx start it through cmd, with a note for shared files", () => {
  const io = { ...cli.io, platform: "win32" };
  const [first, ...others] = ["claude-code", "codex", "cursor", "vscode"].map((id) => {
    const client = findClient(id);
    const choices = { scope: "project", path: "", project, name: "pagewire", tab: undefined, hub: {} } as const;
    const { connection, notes } = connectionFor(
      client,
      { ...choices, isAbsolute: false, writeArguments: [], state: cli.state },
      io,
    );
    return { entry: client.stdioEntry(connection.stdio), steps: client.stdioSteps(connection), notes };
  });
  const cmd = { command: "cmd", args: ["/c", "npx", "-y", "pagewire", "mcp"] };
  expect([first?.entry, ...others.map((each) => each.entry)]).toMatchObject([cmd, cmd, npxEntry, npxEntry]);
  expect(codesOf(first?.steps ?? [])[0]).toBe("claude mcp add pagewire -- cmd /c npx -y pagewire mcp");
  expect(first?.notes.join()).toContain("as Windows needs it");
});

test("the command that writes a client's file runs this installation, with its state directory", async () => {
  const { stdio } = await connect(["cursor", "--user"], { environment: { PAGEWIRE_HOME: cli.home } });
  const script = join(process.cwd(), "dist", "cli", "main.js");
  expect(codesOf(stdio.steps)[0]).toBe(
    `env PAGEWIRE_HOME=${cli.home} ${process.execPath} ${script} connect cursor --write --user`,
  );
});

test("the entry has the hub's address but not its token, which the client must supply", async () => {
  const state = join(cli.home, "state of mine");
  const environment = {
    PAGEWIRE_HOME: state,
    PAGEWIRE_TOKEN: "secret",
    PAGEWIRE_URL: "https://hub.example",
  };
  for (const client of ["claude-code", "codex"]) {
    const { stdio, http, notes } = await connect([client], { environment });
    expect(stdio.entry).toMatchObject({
      args: ["-y", "pagewire", "mcp", "--hub", "https://hub.example"],
      env: { PAGEWIRE_HOME: state },
      ...(client === "codex" ? { env_vars: ["PAGEWIRE_TOKEN"] } : {}),
    });
    expect(JSON.stringify(stdio)).not.toContain("secret");
    expect(notes.join()).toContain("has to be started with PAGEWIRE_TOKEN");
    expect(codesOf(http.steps)).toContain(`export PAGEWIRE_TOKEN="<that hub's token>"`);
    expect(notes.join()).toContain("names your state directory");
  }
  const { stdio } = await connect(["claude-code"], { environment: { PAGEWIRE_HOME: state } });
  expect(codesOf(stdio.steps)[0]).toBe(
    `claude mcp add --env "PAGEWIRE_HOME=${state}" --transport stdio pagewire -- npx -y pagewire mcp`,
  );
});
