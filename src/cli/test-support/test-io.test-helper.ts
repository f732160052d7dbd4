// The command's environment in tests: streams whose text is recorded, its own folder, a key to press.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { openState } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import type { Keyring } from "../contexts/keyring.ts";
import type { Io } from "../common/io.ts";
import { runCli } from "../run-cli.ts";

export interface TestIo {
  readonly io: Io;
  readonly home: string;
  readonly state: State;
  /** Everything that was written to stdout, to stderr. */
  out(): string;
  err(): string;
  /** Resolves once this was written to either. */
  wrote(text: string): Promise<void>;
  /** Presses Ctrl-C, as soon as the command listens for it. */
  interrupt(): Promise<void>;
  /** Types into stdin. */
  type(text: string): void;
  endInput(): void;
  /** The addresses that were opened in the browser. */
  readonly opened: readonly string[];
  /** The output that was written to the terminal itself. */
  readonly shown: readonly string[];
  run(...args: readonly string[]): Promise<number>;
  close(): void;
}

export interface TestIoOptions {
  /** The state directory, which is not removed; by default one of its own, which is. */
  readonly home?: string;
  readonly isTerminal?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** The command's own HTTP requests; by default they get no answer. */
  readonly fetch?: typeof fetch;
  /** None by default. */
  readonly keyring?: Keyring;
}

export function createTestIo(options: TestIoOptions = {}): TestIo {
  const { home: given, isTerminal = false, environment = {}, fetch = nothingAnswers, keyring } = options;
  const home = given ?? mkdtempSync(join(tmpdir(), "pagewire-cli-"));
  const listeners = new Set<() => void>();
  const opened: string[] = [];
  const shown: string[] = [];
  let listens = () => {};
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const watchers = new Set<() => void>();
  const stdout = createOutput(isTerminal, watchers);
  const stderr = createOutput(isTerminal, watchers);
  const io: Io = {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment: { PAGEWIRE_HOME: home, ...environment },
    platform: "linux",
    homeDirectory: home,
    now: () => new Date("2026-01-02T03:04:05"),
    fetch,
    keyring: async () => keyring,
    onInterrupt(listener) {
      listeners.add(listener);
      listens();
      return () => void listeners.delete(listener);
    },
    openInBrowser: (url) => void opened.push(url),
    writeToTerminal(text) {
      if (isTerminal) shown.push(text);
      return isTerminal;
    },
  };
  return {
    io,
    home,
    state: openState(home),
    out: stdout.text,
    err: stderr.text,
    wrote: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!(stdout.text() + stderr.text()).includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    async interrupt() {
      if (listeners.size === 0) await new Promise<void>((resolve) => (listens = resolve));
      for (const listener of [...listeners]) listener();
    },
    type: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    opened,
    shown,
    run: (...args) => runCli(args, io),
    close() {
      if (given === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

const nothingAnswers: typeof fetch = () => Promise.reject(new TypeError("fetch failed"));

function createOutput(isTTY: boolean, watchers: ReadonlySet<() => void>) {
  let written = "";
  const stream = Object.assign(new PassThrough(), { isTTY, ...(isTTY ? { columns: 100 } : {}) });
  stream.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
    for (const watch of [...watchers]) watch();
  });
  return { stream, text: () => written };
}
