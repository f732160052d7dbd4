// A hub with terminals as a process of its own, whose shells have a home folder of their own.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSocket } from "../../../src/hub/test-support/peer.test-helper.ts";
import { createTestView } from "../../../src/terminal/test-view.test-helper.ts";
import type { TestView } from "../../../src/terminal/test-view.test-helper.ts";
import { closeNameOf, encodeText } from "../../../src/wire/index.ts";
import { waitUntil } from "../support/wait.ts";

/** A view's hello; a test may put anything into it. */
export type Hello = Readonly<Record<string, unknown>>;

export interface ShellHome {
  readonly folder: string;
  /** The hub's environment, so that its shells use this home. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the folder, and ends the sessions that survive in tmux. */
  close(): void;
}

export function makeShellHome(): ShellHome {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-shell-"));
  const sockets = join(folder, ".tmux");
  mkdirSync(sockets);
  writeFileSync(join(folder, ".bashrc"), "PS1='$ '\nunset HISTFILE\n");
  return {
    folder,
    env: { HOME: folder, SHELL: "/bin/bash", LANG: "C.UTF-8", TMUX_TMPDIR: sockets },
    close() {
      for (const socket of readdirSync(sockets, { recursive: true, withFileTypes: true })) {
        if (!socket.isSocket()) continue;
        try {
          execFileSync("tmux", ["-S", join(socket.parentPath, socket.name), "kill-server"], { stdio: "ignore" });
        } catch {
          // The tmux server ended with its last session.
        }
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Opens a view's socket from a page of an origin, or without one if it is null, and sends nothing yet. */
export async function openView(url: string, origin: string | null = url): Promise<TestView> {
  const headers = origin === null ? {} : { Origin: origin };
  return createTestView((await openSocket(`${url}/ws/terminal`, { headers })).link);
}

/** Sends a frame, valid or not. */
export function say(view: TestView, frame: object, payload?: string): void {
  view.link.send(encodeText(frame, payload));
}

/** "let in", or the name with which the hub closed. */
export async function verdictOn(view: TestView, hello: Hello): Promise<string> {
  say(view, { type: "hello", version: 1, ...hello });
  return view.next("welcome").then(
    () => "let in",
    () => closedAs(view),
  );
}

/** The name with which the hub closed. */
export async function closedAs(view: TestView): Promise<string> {
  const { code } = await view.closed;
  return closeNameOf(code) ?? String(code);
}

/** A view that is let in. */
export async function enterView(url: string, hello: Hello, origin = url): Promise<TestView> {
  const view = await openView(url, origin);
  const verdict = await verdictOn(view, hello);
  if (verdict === "let in") return view;
  throw new Error(`The view was not let in: ${verdict}`);
}

/** A view with a new terminal. */
export async function showTerminal(url: string, hello: Hello): Promise<TestView> {
  const view = await enterView(url, hello);
  view.send({ type: "open", columns: 80, rows: 24 });
  await view.next("opened");
  return view;
}

/** A command's output in a view's shell; it is read from a file, so that no test waits for a screen. */
export async function outputOf(view: TestView, home: ShellHome, command: string): Promise<string> {
  const file = join(home.folder, `out-${Math.random().toString(36).slice(2)}`);
  view.type(`{ ${command}; } > ${file}.part 2>&1; mv ${file}.part ${file}\r`);
  await waitUntil(
    async () => existsSync(file),
    () => `The shell did not run: ${command}`,
  );
  return readFileSync(file, "utf8");
}

/** The terminals of a view's user, from the latest update. */
export function listedIn(view: TestView) {
  const told = view.frames.findLast((frame) => frame.type === "terminals" || frame.type === "welcome");
  return told && "terminals" in told ? told.terminals : [];
}
