// The two kinds of shells: plain ones, which end with the hub, and ones in tmux, which survive it.
import { join } from "node:path";
import type { Clock } from "../link/index.ts";
import { findPty } from "./pty/find-pty.ts";
import type { FindPtyOptions, SpawnPty } from "./pty/find-pty.ts";
import { endProcesses } from "./pty/processes.ts";
import { startPty } from "./pty/start-pty.ts";
import type { Exit, Pty } from "./pty/start-pty.ts";
import { findShell, homeDirectory, shellEnvironment } from "./shell/shell-environment.ts";
import { createShellFolder, createShellScripts, writeOwnFile } from "./shell/shell-scripts.ts";
import { findTmux, tmuxConf, tmuxServerName, createTmux, pasteLong } from "./tmux.ts";

export interface TerminalDoorOptions {
  /** The hub's state directory; files for terminals go into its folder `terminal`. */
  readonly stateDirectory: string;
  /** Whether terminals also have klangk's commands and variables, for programs written for klangk. */
  readonly klangk: boolean;
  /** The command line of this installation: a program and its first arguments. */
  readonly cli: readonly string[];
  /** The environment that shells inherit, before variables of the hub or npm are removed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The shell to open; by default $SHELL, else bash or sh. */
  readonly shell?: string;
  /** Whether shells run in tmux, or its path; by default they do if it is found. */
  readonly tmux?: boolean | string;
  /** Loads the package that opens pseudo terminals, by its name. */
  readonly loadPty?: FindPtyOptions["loadPty"];
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ShellStart extends Size {
  readonly id: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface PtyEvents {
  readonly onOutput: (text: string) => void;
  readonly onExit: (exit: Exit) => void;
}

/** The shells of terminals, by the ids of these. */
export interface Shells {
  readonly inTmux: boolean;
  /** Prepares a new shell for `show`. The variables are specific to this terminal. */
  open(start: ShellStart): Promise<void>;
  /** Prepares a shell that an earlier hub opened. */
  reopen(id: string, variables: Readonly<Record<string, string>>): Promise<void>;
  /** Shows a shell in a pseudo terminal. */
  show(id: string, size: Size, events: PtyEvents): Pty;
  /** Redraws the screen, if possible. */
  repaint(id: string): void;
  /** The shells that survive their pseudo terminal. */
  lasting(): Promise<ReadonlySet<string>>;
  /** The programs in the foreground of these shells, by the shells' ids. */
  programs(): Promise<ReadonlyMap<string, string>>;
  /** Ends a shell and its processes. */
  end(id: string, pty: Pty | undefined): Promise<void>;
  /** Ends the pseudo terminal, and a plain shell with it. */
  close(pty: Pty): Promise<void>;
}

/** Finds the programs that shells need, and writes their files; rejects with `terminal-unavailable` and a remedy. */
export async function createShells(options: TerminalDoorOptions, exitFolder: string, clock: Clock): Promise<Shells> {
  const { stateDirectory, shell: wanted, tmux: wantedTmux, loadPty, environment: given } = options;
  const { platform } = process;
  const spawn = await findPty({ loadPty });
  const environment = shellEnvironment(given, platform);
  const shell = findShell(wanted, environment["SHELL"]);
  const directory = homeDirectory(environment["HOME"]);
  const folders = createShellFolder(options);
  const scripts = createShellScripts({ stateDirectory, folders, platform, exitFolder });
  const program = { spawn, clock, directory, environment: { HOME: directory, ...environment, SHELL: shell } };
  const command = await findTmux(wantedTmux, environment);
  if (command === undefined) return plainShells(program, scripts.shell);
  const conf = join(stateDirectory, "terminal", "tmux.conf");
  writeOwnFile(conf, tmuxConf({ run: scripts.run, shell, platform }));
  return tmuxShells(program, { command, server: tmuxServerName(stateDirectory), conf });
}

interface ProgramParts {
  readonly spawn: SpawnPty;
  readonly clock: Clock;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

function plainShells(program: ProgramParts, script: string): Shells {
  const { clock, environment } = program;
  const starts = new Map<string, ShellStart>();

  function endPty({ pid, device }: Pty): Promise<void> {
    return endProcesses([pid], device === undefined ? [] : [device], { clock });
  }

  return {
    inTmux: false,
    async open(start) {
      starts.set(start.id, start);
    },
    async reopen() {},
    show(id, size, events) {
      const own = { ...environment, ...starts.get(id)?.variables };
      starts.delete(id);
      return startPty({ ...program, ...size, ...events, environment: own, file: "/bin/sh", args: [script] });
    },
    repaint() {},
    async lasting() {
      return new Set();
    },
    async programs() {
      return new Map();
    },
    async end(_id, pty) {
      if (pty) await endPty(pty);
    },
    close: endPty,
  };
}

interface TmuxParts {
  readonly command: string;
  readonly server: string;
  readonly conf: string;
}

function tmuxShells(program: ProgramParts, parts: TmuxParts): Shells {
  const { clock, directory, environment } = program;
  const tmux = createTmux({ ...parts, environment });
  return {
    inTmux: true,
    open: (start) => tmux.open({ ...start, directory }),
    reopen: tmux.setVariables,
    show(id, size, events) {
      const [file = "", ...args] = tmux.attach(id);
      const pty = startPty({ ...program, ...size, ...events, file, args });
      return pasteLong(pty, (text) => tmux.paste(id, text));
    },
    repaint: (id) => void tmux.repaint(id),
    lasting: tmux.sessions,
    programs: tmux.programs,
    async end(id) {
      // The session's processes can only be found before it ends.
      await endProcesses([], await tmux.devices(id), { clock });
      await tmux.end(id);
    },
    close: ({ pid }) => endProcesses([pid], [], { clock }),
  };
}
