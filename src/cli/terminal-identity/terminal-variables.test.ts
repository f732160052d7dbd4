import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommand } from "../mcp/test-support/command.test-helper.ts";
import type { BuiltCommand } from "../mcp/test-support/command.test-helper.ts";
import { nameTerminal } from "./terminal-variables.ts";
import { findProcess, fromTable, listProcesses } from "../../state/index.ts";
import { startTmux } from "../test-support/tmux-server.test-helper.ts";

// Some tests start several processes.

let command: BuiltCommand;
let home: string;
beforeAll(async () => {
  command = await buildCommand();
  home = mkdtempSync(join(tmpdir(), "pagewire-terminals-"));
});
afterAll(() => {
  command.remove();
  rmSync(home, { recursive: true, force: true });
});

const table = fromTable(`
    1     0 ?        Mon Jan  5 10:00:00 2026
   10     1 pts/0    Mon Jan  5 10:00:01 2026
   11    10 pts/0    Mon Jan  5 10:00:02 2026
   12    11 ?        Mon Jan  5 10:00:03 2026
   20    11 pts/1    Mon Jan  5 10:00:04 2026
   21    20 pts/1    Mon Jan  5 10:00:05 2026
   30     1 ??       Mon Jan  5 10:00:06 2026
   40    41 pts/4    Mon Jan  5 10:00:07 2026
   41    40 pts/4    Mon Jan  5 10:00:08 2026
`);

test.each([
  ["a shell", 10, "tty-10-Mon-Jan-5-10-00-01-2026"],
  ["its program", 11, "tty-10-Mon-Jan-5-10-00-01-2026"],
  ["what a program cut off from its terminal", 12, "tty-10-Mon-Jan-5-10-00-01-2026"],
  ["a program in a terminal inside of another", 21, "tty-20-Mon-Jan-5-10-00-04-2026"],
  ["a program without a terminal", 30, "none"],
  ["a program that nothing is known of", 99, "none"],
])("%s is of its terminal, by the process that had it first", (_, id, name) => {
  expect(nameTerminal(id, table)).toBe(name);
});

test("a cycle of parent processes ends the search", () => {
  expect(nameTerminal(40, table)).toMatch(/^tty-4[01]-/);
});

test("both ways to read processes find the same ones", () => {
  const [one, other] = [findProcess("linux"), fromTable(listProcesses())];
  expect(one(process.pid)?.parent).toBe(process.ppid);
  expect(other(process.pid)?.parent).toBe(process.ppid);
  expect(findProcess("win32")(process.pid)).toBeUndefined();
});

/** The output of a shell in its own terminal. */
function inTerminal(script: string): Promise<string> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, PAGEWIRE_HOME: home, PAGEWIRE_URL: "http://127.0.0.1:9", CLI: command.program };
  const terminal = spawn("sh", ["-c", script], { env });
  let output = "";
  terminal.onData((data) => (output += data));
  return new Promise((resolve) => terminal.onExit(() => resolve(output.replaceAll("\r\n", "\n"))));
}

test("two terminals without tmux have separate ids, even for detached programs", async () => {
  const attach = (id: string) => `node "$CLI" attach-browser ${id} 2>/dev/null`;
  const ask = `node "$CLI" browser-id; setsid -w sh -c 'node "$CLI" browser-id | cat' < /dev/null`;
  const [one, two, none] = await Promise.all([
    inTerminal(`${attach("tab-1")}; ${ask}`),
    inTerminal(`${attach("tab-2")}; ${ask}`),
    inTerminal(`${ask}; echo ended`),
  ]);
  expect([one, two, none]).toEqual(["tab-1\ntab-1\n", "tab-2\ntab-2\n", "ended\n"]);
});

test("in the panes of two sessions, the command finds the id of its own", async () => {
  const server = startTmux({ PAGEWIRE_HOME: home, PAGEWIRE_URL: "http://127.0.0.1:9", CLI: command.program });
  try {
    for (const name of ["one", "two"]) server.session(name);
    const run = (name: string, words: string) =>
      server.run(name, `node "$CLI" ${words} > "$PAGEWIRE_HOME/said-${name}" 2>&1`);
    for (const name of ["one", "two"]) await run(name, `attach-browser tab-${name}`);
    server.tmux("new-window", "-t", "one", "sh");
    for (const name of ["one", "two"]) await run(name, "browser-id");
    const said = (name: string) => readFileSync(join(home, `said-${name}`), "utf8");
    expect([said("one"), said("two")]).toEqual(["tab-one\n", "tab-two\n"]);
  } finally {
    server.close();
  }
});

test("in tmux, only the terminal that shows the session is used", async () => {
  const server = startTmux({ PAGEWIRE_HOME: home, PAGEWIRE_URL: "http://127.0.0.1:9", CLI: command.program });
  try {
    const pane = server.session("one");
    server.session("two");
    server.tmux("set-hook", "-g", "client-attached", "wait-for -S attached");
    const [socket = ""] = pane.TMUX.split(",");
    const shown = { one: "", two: "" };
    const clients: ReturnType<typeof spawn>[] = [];
    const copied = new Promise<void>((resolve) => {
      clients.push(show("one", (text) => text.includes("\u001b]52;;SMO2\u0007") && resolve()));
    });
    function show(name: "one" | "two", look: (text: string) => void): ReturnType<typeof spawn> {
      const client = spawn("tmux", ["-S", socket, "attach", "-t", name], {
        env: { PATH: pane.PATH, TERM: "xterm-256color", LANG: "C.UTF-8" },
        name: "xterm-256color",
      });
      client.onData((data) => look((shown[name] += data)));
      return client;
    }
    await server.said("attached");
    const second = server.said("attached");
    clients.push(show("two", () => {}));
    await second;
    await server.run("one", `node "$CLI" copy-to-clipboard 'Hö'`);
    await copied;
    expect(shown.two).not.toContain("]52;");
    for (const client of clients) client.kill();
  } finally {
    server.close();
  }
});
