// Terminals with real shells, a hub that is played, and views at the other end of memory links.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { NewTerminal, ShellDoor, ShellHost, TerminalInfo, Terminals } from "../hub/index.ts";
import { createMemoryLinks } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { PagewireError, defaultLimits, encodeText, parseFrame, textOf, toView } from "../wire/index.ts";
import type { CloseReason, FrameFromView, FrameToView, Limits } from "../wire/index.ts";
import type { TerminalDoorOptions } from "./shells.ts";
import { createTerminalDoor } from "./terminal-door.ts";
import { tmuxServerName } from "./tmux/server-name.ts";

// Real shells take their time where others need the machine too.
vi.setConfig({ testTimeout: 60_000, expect: { poll: { timeout: 20_000 } } });

/** The terminals that a store would keep, and what else outlives a hub. */
export interface TestState {
  readonly directory: string;
  readonly home: string;
  readonly terminals: Map<string, NewTerminal & { readonly principal: string }>;
  /** Asks the tmux server of this state directory. */
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
  /** The principals whose sign-ins were ended. */
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
type FrameTo<Type extends FrameToView["type"]> = Extract<FrameToView, { type: Type }>;

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
    attach(id, tab) {
      attachments.set(id, tab);
      for (const listener of listeners) listener(id, tab);
    },
    attachedTab: (id) => attachments.get(id),
    onAttached(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    verify: unused,
    isStillGood: unused,
  };
}

export interface TestView {
  readonly link: Link;
  readonly frames: readonly FrameToView[];
  /** Everything that was printed since the last time that output began anew; its length, and how it ends. */
  readonly text: string;
  readonly length: number;
  readonly tail: string;
  readonly opened: FrameTo<"opened">;
  readonly closed: Promise<CloseReason>;
  /** How far it acks by itself; set it to a number to stop there. */
  seesUpTo: number;
  send(frame: FrameFromView, payload?: string): void;
  type(text: string): void;
  /** The next frame of this type that was not asked for before. */
  next<Type extends FrameToView["type"]>(type: Type): Promise<FrameTo<Type>>;
  /** Resolves when this was printed. */
  prints(text: string | RegExp): Promise<string>;
}

function createTestView(link: Link): TestView {
  const frames: FrameToView[] = [];
  const asked = new Map<string, number>();
  let watchers: (() => boolean)[] = [];
  let parts: string[] = [];
  let length = 0;
  let tail = "";
  let ends = 0;
  let problem: Error | undefined;
  let close = (_reason: CloseReason): void => {};
  const closed = new Promise<CloseReason>((resolve) => {
    close = resolve;
  });

  function until<Value>(find: () => Value | undefined, what: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found !== undefined) resolve(found);
        if (problem) reject(new Error(`${problem.message} Waited for ${what}.`));
        return found === undefined && !problem;
      };
      if (look()) watchers.push(look);
    });
  }

  function tell(): void {
    watchers = watchers.filter((look) => look());
  }

  const view: TestView = {
    link,
    frames,
    closed,
    seesUpTo: Infinity,
    get text() {
      parts = [parts.join("")];
      return parts[0] ?? "";
    },
    get length() {
      return length;
    },
    get tail() {
      return tail;
    },
    get opened() {
      return frames.findLast((each) => each.type === "opened") as FrameTo<"opened">;
    },
    send: (frame, payload) => link.send(encodeText(frame, payload)),
    type: (typed) => view.send({ type: "input" }, typed),
    next(type) {
      const place = asked.get(type) ?? 0;
      asked.set(type, place + 1);
      return until(() => frames.filter((each) => each.type === type)[place], type) as never;
    },
    prints: (wanted) =>
      until(
        () => (typeof wanted === "string" ? view.text.includes(wanted) : wanted.test(view.text)) || undefined,
        `${wanted}`,
      ).then(() => view.text),
  };

  link.start({
    message(message) {
      const parsed = parseFrame(toView, message, defaultLimits);
      if (parsed.kind !== "frame") {
        problem = new Error(`A frame could not be read: ${textOf(message).slice(0, 200)}`);
        return tell();
      }
      const { frame, payload } = parsed;
      if (frame.type === "opened" && frame.at !== ends) [parts, length, tail] = [[], 0, ""];
      if (frame.type === "opened") ends = frame.at;
      if (frame.type === "output") {
        if (frame.at !== ends) problem = new Error(`Output came at ${frame.at}, and not at ${ends}.`);
        const printed = textOf(payload);
        parts.push(printed);
        length += printed.length;
        tail = `${tail}${printed}`.slice(-64);
        ends += printed.length;
        if (ends <= view.seesUpTo) view.send({ type: "seen", at: ends });
      }
      frames.push(frame);
      tell();
    },
    closed(reason) {
      close(reason);
      problem ??= new Error(`The hub closed: ${reason.reason}`);
      tell();
    },
  });
  return view;
}

/** Whether a process has ended, though perhaps nobody has heard of it yet: not everywhere somebody takes over orphans. */
export function isGone(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout.trim() === "" || stdout.startsWith("Z");
}
