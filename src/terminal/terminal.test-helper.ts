// Terminals with real shells, and a hub that is played.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { NewTerminal, ShellDoor, ShellHost, TerminalInfo, Terminals } from "../hub/index.ts";
import { createMemoryLinks } from "../link/index.ts";
import { PagewireError, defaultLimits } from "../wire/index.ts";
import type { FrameFromView, Limits } from "../wire/index.ts";
import type { TerminalDoorOptions } from "./shells.ts";
import { createTerminalDoor } from "./terminal-door.ts";
import { createTestView } from "./test-view.test-helper.ts";
import type { TestView } from "./test-view.test-helper.ts";
import { tmuxServerName } from "./tmux.ts";

// Real shells are slow on a busy machine.

/** The terminals in a store, and other state that outlives a hub. */
export interface TestState {
  readonly directory: string;
  readonly home: string;
  readonly terminals: Map<string, NewTerminal & { readonly principal: string }>;
  /** Runs a command on the tmux server of this state directory. */
  tmux(...args: string[]): string;
}

export function createTestState(): TestState {
  // Not the name behind which macOS hides its folder for temporary files.
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "pagewire-terminal-")));
  const home = join(directory, "home");
  mkdirSync(home);
  writeFileSync(join(home, ".bashrc"), "unset HISTFILE\nPS1='$ '\nbind 'set enable-bracketed-paste off'\n");
  const server = tmuxServerName(directory);
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-L", server, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => {
    try {
      tmux("kill-server");
    } catch {
      // It was not started, or ended with its last session.
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  });
  return { directory, home, terminals: new Map(), tmux };
}

export interface TestDoor {
  readonly state: TestState;
  readonly host: ShellHost;
  readonly door: ShellDoor;
  /** The tabs that are open, as "principal tab". */
  readonly tabs: Set<string>;
  /** Which tab each terminal is attached to. */
  readonly attachments: Map<string, string | undefined>;
  /** The principals whose sessions were ended. */
  readonly signedOut: readonly string[];
  connect(): TestView;
  /** Connects, signs in, and opens a terminal. */
  open(frame?: Partial<Frame<"open">>, principal?: string): Promise<TestView>;
}

export interface TestDoorOptions extends Partial<TerminalDoorOptions> {
  readonly state?: TestState;
  readonly limits?: Partial<Limits>;
  readonly url?: string;
}

export type Frame<Type extends FrameFromView["type"]> = Extract<FrameFromView, { type: Type }>;

export function startDoor(given: TestDoorOptions = {}): TestDoor {
  const { state = createTestState(), limits, url = "http://127.0.0.1:7337", ...options } = given;
  const tabs = new Set<string>();
  const attachments = new Map<string, string | undefined>();
  const signedOut: string[] = [];
  const host: ShellHost = {
    url,
    limits: { ...defaultLimits, ...limits },
    note: () => {},
    terminals: playTerminals(state, attachments),
    async signIn({ code, token }) {
      const principal = token ?? code?.replace("code of ", "");
      if (principal === undefined) throw new PagewireError("token-required", "Bring a code.");
      if (principal === "nobody") throw new PagewireError("token-invalid", "This is nobody.");
      const admitted = { principal, credential: principal };
      return code === undefined ? { admitted } : { admitted, token: principal, expiresAt: 5 };
    },
    signOut: async ({ principal }) => void signedOut.push(principal),
    hasTab: (principal, tab, origin) => origin === "https://app.example" && tabs.has(`${principal} ${tab}`),
  };
  const { PATH } = process.env;
  const environment = { PATH, HOME: state.home, SHELL: "/bin/bash", LANG: "C.UTF-8" };
  const cli = [process.execPath, "/nowhere/cli.js"];
  const mount = createTerminalDoor({ stateDirectory: state.directory, klangk: false, cli, environment, ...options });
  const door = mount(host);
  onTestFinished(() => door.close());

  function connect(): TestView {
    const [ours, theirs] = createMemoryLinks();
    door.serve({ link: theirs, origin: "https://app.example", known: () => () => {} });
    return createTestView(ours);
  }

  return {
    state,
    host,
    door,
    tabs,
    attachments,
    signedOut,
    connect,
    async open(frame = {}, principal = "ann") {
      const view = connect();
      view.send({ type: "hello", version: 1, token: principal });
      await view.next("welcome");
      view.send({ type: "open", columns: 80, rows: 24, ...frame });
      await view.next("opened");
      return view;
    },
  };
}

function playTerminals({ terminals }: TestState, attachments: Map<string, string | undefined>): Terminals {
  const listeners = new Set<(id: string, tabId: string | undefined) => void>();
  const own = (principal: string) => [...terminals.values()].filter((each) => each.principal === principal);
  const info = ({ id, name, createdAt }: TerminalInfo) => ({ id, name, createdAt });
  const find = (principal: string, id: string) => own(principal).find((each) => each.id === id);
  const unused = () => {
    throw new Error("Terminals do not ask for this.");
  };
  return {
    async create(principal, { name }) {
      if (own(principal).length >= 3) throw new PagewireError("terminals-too-many", "There are 3 already.");
      const id = crypto.randomUUID().replaceAll("-", "");
      const made = { id, name, createdAt: Date.now(), token: `secret-of-${id}`, principal };
      terminals.set(id, made);
      return made;
    },
    find: async (principal, id) => find(principal, id),
    list: async (principal) => own(principal).map(info),
    async rename(principal, id, name) {
      const found = find(principal, id);
      if (found) terminals.set(id, { ...found, name });
    },
    async end(principal, id) {
      if (find(principal, id)) terminals.delete(id);
    },
    async attach(_, id, tab) {
      attachments.set(id, tab);
      for (const listener of listeners) listener(id, tab);
    },
    attachedTab: (id) => attachments.get(id),
    onAttached(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    proofKey: unused,
    verify: unused,
    isStillGood: unused,
  };
}

/** Whether a process has ended, even as a zombie: not every system has a process that reaps orphans. */
export function isGone(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout.trim() === "" || stdout.startsWith("Z");
}
