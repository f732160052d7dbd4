import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { readTerminal } from "./read-terminal.ts";
import { startTmux } from "../test-support/tmux-server.test-helper.ts";
import type { TmuxServer } from "../test-support/tmux-server.test-helper.ts";

let server: TmuxServer;
const open: TestIo[] = [];

beforeEach(() => {
  server = startTmux();
});
afterEach(() => {
  server.close();
  for (const each of open.splice(0)) each.close();
});

function cli(environment: Readonly<Record<string, string>>): TestIo {
  const made = createTestIo({ environment: { PAGEWIRE_URL: "http://127.0.0.1:9", ...environment } });
  open.push(made);
  return made;
}

async function idIn(environment: Readonly<Record<string, string>>): Promise<string> {
  const io = cli(environment);
  const code = await io.run("browser-id");
  return code === 0 ? io.out().trim() : `exit ${code}`;
}

const attach = (environment: Readonly<Record<string, string>>, id: string) =>
  cli(environment).run("attach-browser", id);

const token = "pagewire-terminal.abcdefghijkl";

test("an id that was attached before any client connected is found, also after the client has left", async () => {
  const pane = server.session("a");
  expect(await attach(pane, "tab-1")).toBe(0);
  expect(await idIn(pane)).toBe("tab-1");
  server.tmux("set-hook", "-g", "client-attached", "wait-for -S attached");
  server.tmux("set-hook", "-g", "client-detached", "wait-for -S detached");
  const [socket = ""] = pane.TMUX.split(",");
  const attached = server.said("attached");
  const client = spawn("tmux", ["-S", socket, "attach", "-t", "a"], { env: { ...pane, TMUX: "", TERM: "xterm" } });
  await attached;
  expect(await idIn(pane)).toBe("tab-1");
  await attach(pane, "tab-2");
  expect(await idIn(pane)).toBe("tab-2");
  const detached = server.said("detached");
  server.tmux("detach-client", "-s", "a");
  await detached;
  expect(await idIn(pane)).toBe("tab-2");
  await attach(pane, "tab-3");
  expect(await idIn(pane)).toBe("tab-3");
  client.kill();
});

test("two sessions of one server have separate ids", async () => {
  const [one, two] = [server.session("one"), server.session("two")];
  await attach(one, "tab-1");
  expect([await idIn(one), await idIn(two)]).toEqual(["tab-1", "exit 1"]);
  await attach(two, "tab-2");
  expect([await idIn(one), await idIn(two)]).toEqual(["tab-1", "tab-2"]);
});

test("variables of a session take precedence over those of its programs", async () => {
  const pane = server.session("a");
  await attach(pane, "tab-2");
  expect(await idIn({ ...pane, PAGEWIRE_BROWSER_ID: "tab-1" })).toBe("tab-2");
  server.tmux("set-environment", "-t", "a", "KLANGKWS_BROWSER_ID", "tab-3");
  expect(await idIn({ ...pane, KLANGKWS_BROWSER_ID: "tab-1" })).toBe("tab-2");
});

test("a variable that was removed from the session is not used, nor its earlier value", async () => {
  const pane = server.session("a");
  await attach(pane, "tab-1");
  server.tmux("set-environment", "-t", "a", "-r", "PAGEWIRE_BROWSER_ID");
  expect(await idIn(pane)).toBe("exit 1");
  expect(await idIn({ ...pane, PAGEWIRE_BROWSER_ID: "tab-1" })).toBe("exit 1");
  expect(await idIn({ ...pane, PAGEWIRE_BROWSER_ID: "tab-1", PAGEWIRE_TERMINAL: "own" })).toBe("own");
});

test("an unsafe id in the session is ignored", async () => {
  const pane = server.session("a");
  server.tmux("set-environment", "-t", "a", "PAGEWIRE_BROWSER_ID", "two words");
  expect(await idIn({ ...pane, PAGEWIRE_TERMINAL: "own" })).toBe("own");
});

test("variables of the server are not those of a session", async () => {
  server.close();
  const said = { PAGEWIRE_TERMINAL: "first", PAGEWIRE_TERMINAL_TOKEN: token, PAGEWIRE_BROWSER_ID: "tab-1" };
  server = startTmux(said);
  const pane = server.session("a");
  expect(await idIn({ ...pane, ...said })).toBe("exit 1");
  expect(await readTerminal(cli({ ...pane, ...said }).io)).toBeUndefined();
  expect(await idIn({ ...pane, ...said, PAGEWIRE_TERMINAL: "second", PAGEWIRE_BROWSER_ID: "" })).toBe("second");
  for (const [name, value] of Object.entries(said)) server.tmux("set-environment", "-t", "a", name, value);
  expect(await idIn({ ...pane, ...said })).toBe("first");
});

test("a terminal's id, token and address are read from the session of the pane that asks", async () => {
  const [one, two] = [server.session("one"), server.session("two")];
  for (const name of ["one", "two"]) {
    server.tmux("set-environment", "-t", name, "PAGEWIRE_TERMINAL", `terminal-${name}`);
    server.tmux("set-environment", "-t", name, "PAGEWIRE_TERMINAL_TOKEN", `${token}-${name}`);
    server.tmux("set-environment", "-t", name, "PAGEWIRE_URL", `http://127.0.0.1:1/${name}`);
  }
  for (const [name, pane] of Object.entries({ one, two }))
    expect(await readTerminal(cli(pane).io)).toEqual({
      url: `http://127.0.0.1:1/${name}`,
      token: `${token}-${name}`,
      browserId: `terminal-${name}`,
    });
});

test("a session's token goes to the hub of that session, even if the environment names another", async () => {
  const pane = server.session("a");
  server.tmux("set-environment", "-t", "a", "KLANGK_WORKSPACE_TOKEN", token);
  server.tmux("set-environment", "-t", "a", "KLANGK_BROWSER_ID", "b");
  server.tmux("set-environment", "-t", "a", "KLANGK_BRIDGE_URL", "http://127.0.0.1:1");
  const { io } = cli({ ...pane, PAGEWIRE_URL: "http://127.0.0.1:2" });
  expect(await readTerminal(io)).toEqual({ url: "http://127.0.0.1:1", token, browserId: "b" });
});

test("a pane that was moved to another session belongs to that one", async () => {
  const [one, two] = [server.session("one"), server.session("two")];
  await attach(one, "tab-1");
  await attach(two, "tab-2");
  server.tmux("move-window", "-s", "one", "-t", "two:9");
  expect(await idIn({ ...one, PAGEWIRE_BROWSER_ID: "tab-1" })).toBe("tab-2");
});

test("programs that tmux starts without a pane belong to its session", async () => {
  const [{ TMUX: one, PATH }, { TMUX: two }] = [server.session("one"), server.session("two")];
  await attach({ TMUX: one, PATH }, "tab-1");
  await attach({ TMUX: two, PATH }, "tab-2");
  expect([await idIn({ TMUX: one, PATH }), await idIn({ TMUX: two, PATH })]).toEqual(["tab-1", "tab-2"]);
});

test("without tmux, the program's own variables are used", async () => {
  const gone = { TMUX: "/nowhere/socket,1,0", TMUX_PANE: "%0", PATH: process.env["PATH"] ?? "" };
  expect(await idIn({ ...gone, PAGEWIRE_BROWSER_ID: "tab-1" })).toBe("tab-1");
  expect(await idIn({ ...gone, PATH: "/nowhere", PAGEWIRE_BROWSER_ID: "tab-1" })).toBe("tab-1");
  const io = cli({ ...gone, PATH: "/nowhere" });
  expect(await io.run("attach-browser", "tab-2")).toBe(0);
  expect(await io.run("browser-id")).toBe(0);
  expect(io.out()).toBe("tab-2\n");
});

test("a token is never in the arguments of a process", async () => {
  const pane = server.session("a");
  const { home } = cli({});
  const [log, wrapper] = [join(home, "words"), join(home, "tmux")];
  const real = execFileSync("sh", ["-c", "command -v tmux"], { encoding: "utf8" }).trim();
  writeFileSync(wrapper, `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  const io = cli({ ...pane, PATH: `${home}:${pane.PATH}`, PAGEWIRE_TERMINAL: "own", PAGEWIRE_TERMINAL_TOKEN: token });
  await io.run("attach-browser", "own");
  expect(server.tmux("show-environment", "-t", "a")).toContain(`PAGEWIRE_TERMINAL_TOKEN=${token}`);
  expect(readFileSync(log, "utf8")).toContain("source-file -");
  expect(readFileSync(log, "utf8")).not.toContain(token);
});
