import { execFile, execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { shellEnvironment } from "./shell/shell-environment.ts";
import { createShellFolder } from "./shell/shell-scripts.ts";
import { createTestState, startDoor } from "./terminal.test-helper.ts";
import type { TestDoor } from "./terminal.test-helper.ts";
import type { TestView } from "./test-view.test-helper.ts";

const lanes = [{ tmux: false }, { tmux: true }];

describe.each(lanes)("with tmux: $tmux", ({ tmux }) => {
  test("programs get the hub, their terminal and its token as variables, with klangk also under its names", async () => {
    for (const klangk of [false, true]) {
      const door = startDoor({ tmux, klangk });
      const view = await door.open();
      const { terminal } = view.opened;
      const names = ["KLANGK_BRIDGE_URL", "KLANGKWS_BRIDGE_URL", "KLANGK_BROWSER_ID", "KLANGKWS_BROWSER_ID"];
      const token = `secret-of-${terminal}`;
      expect(await variables(view, door)).toEqual({
        PAGEWIRE_URL: door.host.url,
        PAGEWIRE_TERMINAL: terminal,
        PAGEWIRE_TERMINAL_TOKEN: token,
        ...(klangk && Object.fromEntries(names.map((name) => [name, name.endsWith("URL") ? door.host.url : terminal]))),
        ...(klangk && { KLANGK_WORKSPACE_TOKEN: token }),
      });
    }
  });

  test("the commands are at the end of PATH, after the folders of a login shell, and run this installation", async () => {
    const state = createTestState();
    writeFileSync(join(state.home, ".bash_profile"), "PATH=/own/first:/usr/bin:/bin\nexport FROM_PROFILE=yes\n");
    const script = join(state.directory, "cli of mine's.sh");
    writeFileSync(script, 'echo "ran: $*"\n');
    const door = startDoor({ tmux, state, klangk: true, cli: ["/bin/sh", script] });
    const view = await door.open({ columns: 400 });
    const bin = join(state.directory, "terminal");
    view.type('echo "PATH is $PATH, $FROM_PROFILE"\r');
    await view.prints(`PATH is /own/first:/usr/bin:/bin:${bin}/bin:${bin}/klangk, yes`);
    view.type("pagewire tabs 'a b'; klangk-browser-id; klangk-attach-browser x\r");
    for (const ran of ["tabs a b", "browser-id", "attach-browser x"]) await view.prints(`ran: ${ran}`);
  });
});

test("terminals in one tmux server do not see each other's variables, and the user's own sessions see none", async () => {
  const door = startDoor({ tmux: true, klangk: true });
  const [one, two] = [await door.open(), await door.open()];
  expect((await variables(one, door))["PAGEWIRE_TERMINAL"]).toBe(one.opened.terminal);
  expect((await variables(two, door))["PAGEWIRE_TERMINAL"]).toBe(two.opened.terminal);
  const { tmux } = door.state;
  one.type("tmux new-session -d -s by-hand; tmux new-window; \r");
  await expect.poll(() => tmux("list-sessions", "-F", "#{session_name}")).toContain("by-hand");
  const ours = /PAGEWIRE_|KLANGK|secret-of/;
  expect(tmux("show-environment", "-g")).not.toMatch(ours);
  expect(tmux("show-environment", "-t", "=by-hand")).not.toMatch(ours);
  expect(tmux("show-environment", "-t", `=${two.opened.terminal}`)).toContain(two.opened.terminal);
  tmux("send-keys", "-t", "=by-hand:", `env > ${door.state.home}/env; echo do''ne`, "Enter");
  await expect.poll(() => tmux("capture-pane", "-p", "-t", "=by-hand:")).toContain("done");
  expect(execFileSync("cat", [join(door.state.home, "env")], { encoding: "utf8" })).not.toMatch(ours);
  // A window that is opened later in a terminal is one of that terminal's.
  expect((await variables(one, door))["PAGEWIRE_TERMINAL"]).toBe(one.opened.terminal);
});

test.each(lanes)("no token is among the arguments of any process, with tmux: $tmux", async ({ tmux }) => {
  const door = startDoor({ tmux, klangk: true });
  const lookAgain = new AbortController();
  const seen = watchArguments(lookAgain.signal);
  const view = await door.open();
  const token = `secret-of-${view.opened.terminal}`;
  view.type("echo $PAGEWIRE_TERMINAL_TOKEN\r");
  await view.prints(token);
  lookAgain.abort();
  const looks = await seen;
  expect(looks.length).toBeGreaterThan(1);
  // Other users of this machine may pass their own secrets in arguments.
  expect(looks.join("\n")).not.toContain(token);
});

/** The arguments of all processes, looked at again and again, and once more after the signal. */
async function watchArguments(until: AbortSignal): Promise<readonly string[]> {
  const looks: string[] = [];
  const look = async () => {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "args="], { maxBuffer: 64 * 1024 * 1024 });
    looks.push(stdout);
  };
  while (!until.aborted) await look();
  await look();
  return looks;
}

test("shells inherit the user's variables, and none of the hub, npm or another terminal", () => {
  const own = {
    HOME: "/home/ann",
    LANG: "de_DE.UTF-8",
    ANTHROPIC_API_KEY: "mine",
    EDITOR: "nano",
    PAGEWIRE_HOME: "/state",
  };
  const others = {
    ...{ PAGEWIRE_TOKEN: "secret", PAGEWIRE_URL: "http://other", PAGEWIRE_TERMINAL: "other", PAGEWIRE_MODEL: "x" },
    ...{ KLANGK_WORKSPACE_TOKEN: "secret", KLANGKWS_BROWSER_ID: "other", TMUX: "/tmp/x,1,0", TMUX_PANE: "%1" },
    ...{ npm_lifecycle_event: "start", npm_config_cache: "/c", npm_package_name: "x", INIT_CWD: "/", NODE: "/node" },
    ...{ COLUMNS: "80", LINES: "24", TERM_PROGRAM: "vscode", SHLVL: "3" },
  };
  const path = "/app/node_modules/.bin:/node_modules/.bin:/npm/node-gyp-bin:/usr/bin:/bin";
  expect(shellEnvironment({ ...own, ...others, PATH: path, TERM: "dumb" }, "linux")).toEqual({
    ...own,
    PATH: "/usr/bin:/bin",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
  });
  const byHand = { PATH: path, EDITOR: "vi", NODE: "/node", LC_ALL: "C" };
  expect(shellEnvironment(byHand, "linux")).toEqual({ ...byHand, TERM: "xterm-256color", COLORTERM: "truecolor" });
});

test("a shell without a locale gets a UTF-8 one", () => {
  expect(shellEnvironment({}, "linux")).toMatchObject({ LANG: "C.UTF-8", PATH: "/usr/local/bin:/usr/bin:/bin" });
  expect(shellEnvironment({ LANG: "" }, "darwin")).toMatchObject({ LANG: "en_US.UTF-8" });
  expect(shellEnvironment({ LC_CTYPE: "de_DE.UTF-8" }, "linux")["LANG"]).toBeUndefined();
});

test("only the owner can read the files of terminals in the state directory", async () => {
  const door = startDoor({ tmux: true, klangk: true });
  const view = await door.open();
  const { directory } = door.state;
  const folders = createShellFolder({ stateDirectory: directory, cli: ["pagewire"], klangk: true });
  const files = [
    "terminal/tmux.conf",
    "terminal/run",
    "terminal/shell",
    `terminal/shells/${view.opened.terminal}.json`,
  ];
  for (const path of [...folders, ...["terminal", "terminal/shells", ...files].map((name) => join(directory, name))]) {
    expect(statSync(path).mode & 0o077).toBe(0);
  }
});

/** Ours among the variables of the shell. */
async function variables(view: TestView, { state }: TestDoor): Promise<Record<string, string>> {
  const mark = Math.random().toString(36).slice(2);
  const file = join(state.home, mark);
  view.type(`env > ${file}; echo wr''ote ${mark}\r`);
  await view.prints(`wrote ${mark}`);
  const lines = execFileSync("cat", [file], { encoding: "utf8" }).split("\n");
  const ours = lines.filter((line) => /^(PAGEWIRE|KLANGK)/.test(line));
  return Object.fromEntries(ours.map((line) => line.split("=") as [string, string]));
}
