// The shell of a terminal, its working directory, and its environment.
import { accessSync, constants, statSync } from "node:fs";
import { userInfo } from "node:os";
import { PagewireError } from "../../wire/index.ts";

/** Placeholder shells of service accounts. */
const lockedOut = /\/(?:nologin|false|true)$/;

/** The shell to open: the configured one, else the user's, else any that exists. */
export function findShell(wanted: string | undefined, own: string | undefined): string {
  if (wanted !== undefined) {
    if (canRun(wanted)) return wanted;
    throw new PagewireError("terminal-unavailable", `The shell "${wanted}" is not a program that can be run.`);
  }
  const isShell = (path: string | undefined) => path !== undefined && canRun(path) && !lockedOut.test(path);
  const found = [own, "/bin/bash", "/bin/sh"].find(isShell);
  if (found !== undefined) return found;
  throw new PagewireError("terminal-unavailable", "There is no shell. Say which one to open in $SHELL.");
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path.startsWith("/") && statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The working directory of new shells. */
export function homeDirectory(home: string | undefined): string {
  try {
    // $HOME may be missing in a service.
    const own = home ?? userInfo().homedir;
    return statSync(own).isDirectory() ? own : "/";
  } catch {
    return "/";
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of another terminal, or of the program that started the hub. */
const ofOthers = new Set([
  ...["TMUX", "TMUX_PANE", "STY", "WINDOW", "WINDOWID", "TERMCAP", "COLUMNS", "LINES", "SHLVL", "OLDPWD", "PWD", "_"],
  ...["TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "VTE_VERSION", "ITERM_SESSION_ID", "WT_SESSION"],
  ...["KLANGK_BRIDGE_URL", "KLANGKWS_BRIDGE_URL", "KLANGK_WORKSPACE_TOKEN", "KLANGK_BROWSER_ID"],
  "KLANGKWS_BROWSER_ID",
]);
const ofNpm = new Set(["INIT_CWD", "NODE", "COLOR"]);

/**
 * The part of the environment that all shells share: that of the user who started the hub, without variables that the
 * hub, npm or another terminal added.
 */
export function shellEnvironment(environment: Environment, platform: string): Record<string, string> {
  const byNpm = environment["npm_lifecycle_event"] !== undefined;
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const isPagewires = name.startsWith("PAGEWIRE_") && name !== "PAGEWIRE_HOME";
    const isNpms = /^npm_/i.test(name) || (byNpm && (ofNpm.has(name) || (name === "EDITOR" && value === "vi")));
    if (value !== undefined && !isPagewires && !isNpms && !ofOthers.has(name)) own[name] = value;
  }
  const { PATH = "/usr/local/bin:/usr/bin:/bin", LC_ALL, LC_CTYPE, LANG } = own;
  if (!LC_ALL && !LC_CTYPE && !LANG) own["LANG"] = platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
  return { ...own, PATH: byNpm ? withoutNpm(PATH) : PATH, TERM: "xterm-256color", COLORTERM: "truecolor" };
}

function withoutNpm(path: string): string {
  const folders = path.split(":");
  return folders.filter((folder) => !/\/(node_modules\/\.bin|node-gyp-bin)$/.test(folder)).join(":");
}

export interface TerminalVariables {
  /** The hub's address. */
  readonly url: string;
  readonly id: string;
  /** Only for a new terminal; in an existing one, programs already have it. */
  readonly token?: string;
  readonly klangk: boolean;
}

export function terminalVariables({ url, id, token, klangk }: TerminalVariables): Record<string, string> {
  const names = { KLANGK_BRIDGE_URL: url, KLANGKWS_BRIDGE_URL: url, KLANGK_BROWSER_ID: id, KLANGKWS_BROWSER_ID: id };
  return {
    PAGEWIRE_URL: url,
    PAGEWIRE_TERMINAL: id,
    ...(token === undefined ? {} : { PAGEWIRE_TERMINAL_TOKEN: token }),
    ...(klangk ? names : {}),
    ...(klangk && token !== undefined ? { KLANGK_WORKSPACE_TOKEN: token } : {}),
  };
}
