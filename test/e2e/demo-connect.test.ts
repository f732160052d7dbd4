import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectAgent, startAgent } from "./demo-agent.test-helper.ts";
import { pagewireCommand, startDemo } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.close());

const chosen = ".client-pane.chosen";
const choose = (title: string): Promise<void> =>
  demo.tab.evaluate((text) => {
    for (const button of document.querySelectorAll<HTMLElement>("#clients button")) {
      if (button.textContent === text) button.click();
    }
  }, title);

/** The lines to paste for each client, by the client's title. */
async function shownLines(): Promise<Record<string, string[]>> {
  const lines: Record<string, string[]> = {};
  for (const title of ["Claude Code", "Cursor", "VS Code", "Codex", "Inspector", "Other"]) {
    await choose(title);
    lines[title] = await demo.tab.evaluate(
      (pane) => [...document.querySelectorAll(`${pane} code`)].map((code) => code.textContent ?? ""),
      chosen,
    );
  }
  return lines;
}

interface PrintedConnection {
  readonly stdio: { readonly steps: readonly { readonly code?: string }[] };
  readonly http: { readonly url: string };
}

/** The output of `pagewire connect` with the hub's state directory, run from a folder without any trace of Pagewire. */
function connect(...args: readonly string[]): PrintedConnection {
  const { stdout, stderr } = spawnSync(process.execPath, [pagewireCommand, "connect", ...args, "--json"], {
    cwd: tmpdir(),
    env: { ...process.env, PAGEWIRE_HOME: demo.hub.home },
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(`pagewire connect ${args.join(" ")} printed nothing: ${stderr}`);
  return JSON.parse(stdout) as PrintedConnection;
}

describe("the lines to paste", () => {
  beforeAll(() => demo.open());
  afterAll(() => demo.leave());

  test("the button says that it has copied, and what is pasted is the line", async () => {
    const permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
    await demo.browser.send("Browser.grantPermissions", { permissions, origin: demo.origin });
    try {
      await demo.tab.activate();
      await demo.tab.evaluate(
        (pane) => document.querySelector<HTMLElement>(`${pane} .command button`)?.focus(),
        chosen,
      );
      await demo.tab.press("Enter");
      await demo.tab.waitFor(
        (pane) => document.querySelector(`${pane} .command button`)?.textContent?.startsWith("Copied"),
        {
          values: [chosen],
        },
      );
      const line = connect("claude-code", "--user").stdio.steps[0]?.code;
      expect(await demo.tab.evaluate("navigator.clipboard.readText()")).toBe(line);
    } finally {
      await demo.browser.send("Browser.resetPermissions");
    }
  });

  test("where the clipboard is refused the page says so, and the line is selected", async () => {
    const permission = { name: "clipboard-write" };
    await demo.browser.send("Browser.setPermission", { permission, setting: "denied", origin: demo.origin });
    try {
      await demo.tab.click(`${chosen} .command button`);
      await demo.tab.waitFor(
        (pane) => document.querySelector(`${pane} [aria-live]`)?.textContent === "Selected: copy it with your keyboard",
        { values: [chosen] },
      );
      const line = connect("claude-code", "--user").stdio.steps[0]?.code;
      expect(await demo.tab.evaluate("getSelection().toString()")).toBe(line);
    } finally {
      await demo.browser.send("Browser.resetPermissions");
    }
  });

  test("what there is to paste for each client is what `pagewire connect` says first for all projects, with the hub's address", async () => {
    const lines = await shownLines();
    const first = (id: string) => [connect(id, "--user").stdio.steps[0]?.code];
    const other = ["env", `PAGEWIRE_HOME=${demo.hub.home}`, process.execPath, pagewireCommand, "mcp"].join(" ");
    expect(lines).toEqual({
      "Claude Code": first("claude-code"),
      Cursor: first("cursor"),
      "VS Code": first("vscode"),
      Codex: first("codex"),
      Inspector: first("inspector"),
      Other: [other, connect("claude-code").http.url],
    });
    expect(JSON.stringify(lines)).not.toContain(await demo.hub.token());
  });

  test("a line that writes a client's file works in any folder, and leads to this hub", async () => {
    await choose("Cursor");
    const home = await mkdtemp(join(tmpdir(), "pagewire-connect-"));
    try {
      const env = { PATH: process.env["PATH"] ?? "", HOME: home };
      const line = await demo.textOf(`${chosen} code`);
      const { status } = spawnSync("sh", ["-c", line], { cwd: home, env, encoding: "utf8" });
      expect(status).toBe(0);
      const file = JSON.parse(await readFile(join(home, ".cursor", "mcp.json"), "utf8")) as unknown;
      expect(file).toMatchObject({
        mcpServers: {
          pagewire: { args: [pagewireCommand, "mcp"], env: { PAGEWIRE_HOME: demo.hub.home } },
        },
      });
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

describe("connecting an agent", () => {
  beforeEach(() => demo.open());
  afterEach(() => demo.leave());

  test("the line that the page shows brings in a client that sees what the page offers, and uses it", async () => {
    await choose("Other");
    const line = await demo.textOf(`${chosen} code`);
    const agent = await startAgent(line, { agent: { name: "claude-code", version: "2.1.4" } });
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name)).toContain("get_sales_data");
    const answer = await agent.callTool({ name: "get_sales_data", arguments: { days: 30 } });
    expect(answer.structuredContent).toMatchObject({ period: "Last 30 days" });
    expect(await demo.textOf(".call .call-agent")).toContain("by claude-code 2.1.4");
  });

  test("a client is chosen by keyboard, moves nothing, and is chosen again at the next visit", async () => {
    const place = (): Promise<unknown> =>
      demo.tab.evaluate("JSON.stringify(document.getElementById('first-question').getBoundingClientRect())");
    expect(await demo.textOf("#clients [aria-pressed=true]")).toBe("Claude Code");
    const before = await place();
    await demo.tab.evaluate("document.querySelector('#clients button').focus()");
    for (const title of ["Cursor", "VS Code", "Codex", "Inspector", "Other"]) {
      await demo.tab.press("Tab");
      await demo.tab.press("Enter");
      expect(await demo.textOf("#clients [aria-pressed=true]")).toBe(title);
      expect(await place()).toBe(before);
    }
    await choose("Codex");
    await demo.tab.reload();
    await demo.tab.waitFor("document.querySelector('#clients [aria-pressed=true]') !== null");
    expect(await demo.textOf(`${chosen} code`)).toMatch(/^codex mcp add/);
  });

  test("until an agent has called the panel invites with a question to ask; then it folds itself away", async () => {
    const isOpen = "document.getElementById('connect').open";
    expect(await demo.textOf("#connect-title")).toBe("Connect your agent");
    expect(await demo.textOf("#first-question code")).toBe("What were our best days last month?");
    expect(await demo.textOf("#presence")).toBe("No agent has used this page yet");
    const agent = await connectAgent(demo);
    await agent.listTools();
    expect(await demo.tab.evaluate(isOpen)).toBe(true);
    await agent.callTool({ name: "get_dashboard_overview", arguments: {} });
    expect(await demo.tab.evaluate(isOpen)).toBe(false);
    expect(await demo.textOf("#connect-title")).toBe("Connect another agent");
    await demo.tab.click("#connect summary");
    await agent.callTool({ name: "get_dashboard_overview", arguments: {} });
    expect(await demo.tab.evaluate(isOpen)).toBe(true);
  });

  test("the panel does not fold itself away under the hands of somebody who is using it", async () => {
    const agent = await connectAgent(demo);
    await demo.tab.activate();
    await demo.tab.click("#clients button:nth-child(2)");
    await agent.callTool({ name: "get_dashboard_overview", arguments: {} });
    expect(await demo.tab.evaluate("document.getElementById('connect').open")).toBe(true);
    await demo.tab.click("#chart-title");
    await agent.callTool({ name: "get_dashboard_overview", arguments: {} });
    expect(await demo.tab.evaluate("document.getElementById('connect').open")).toBe(false);
  });
});
