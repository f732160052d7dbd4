// The interface between a hub and its terminal server, which the command line mounts: a hub has no shells itself.
import type { Link } from "../../link/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Note } from "../common/log.ts";
import type { TerminalInfo, Terminals } from "./terminals.ts";

/** The credential in a view's first frame: a one-time code, or the token that it received for one. */
export interface ShellProof {
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  /** With a code: the page's public key. */
  readonly key?: string | undefined;
}

/** An authenticated view. */
export interface ShellPass {
  readonly admitted: Admitted;
  /** The token for the next connection, if a code was exchanged. */
  readonly token?: string;
  readonly expiresAt?: number;
}

/** The terminals whose shells run beside other hubs. */
export interface ShellsElsewhere {
  list(principal: string): Promise<readonly ListedElsewhere[]>;
  /** Ends one; rejects with `terminal-not-found`. */
  end(principal: string, id: string): Promise<void>;
  /** Subscribes to changes of their lists; returns a function that ends it. */
  onChange(listener: (principal: string) => void): () => void;
  /** The list of this hub has changed. */
  changed(principal: string): void;
}

export interface ListedElsewhere extends ShellInfo {
  /** The name of its hub. */
  readonly hub: string;
}

/** The hub's side, for the terminal server. */
export interface ShellHost {
  /** The hub's URL, for the environment of shells. */
  readonly url: string;
  readonly limits: Limits;
  readonly note: Note;
  readonly terminals: Terminals;
  /** Undefined for a hub alone. */
  readonly elsewhere?: ShellsElsewhere | undefined;
  /** Rejects with a named error. A token is bound to the origin that exchanged its code. */
  signIn(proof: ShellProof, origin: string | undefined): Promise<ShellPass>;
  /** Ends a sign-in by code, and closes all its views; rejects other credentials. */
  signOut(admitted: Admitted): Promise<void>;
  hasTab(principal: string, tabId: string, origin: string | undefined): boolean;
}

/** A view's socket, before it has authenticated. */
export interface ShellVisit {
  readonly link: Link;
  readonly origin: string | undefined;
  /** To be called after authentication; returns a function to call when the view disconnects. */
  readonly known: (admitted: Admitted, link: Link) => () => void;
}

/** A terminal with a shell, as a list for its user shows it. */
export interface ShellInfo extends TerminalInfo {
  /** The program in the foreground, if it is known. */
  readonly program?: string | undefined;
  /** Unknown until the hub has opened a shell that an earlier one left in tmux. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** The tab of its active view. */
  readonly tab?: string | undefined;
  /** How many views show it. */
  readonly views: number;
}

/** The terminal server. */
export interface ShellDoor {
  serve(visit: ShellVisit): void;
  /** Whether the shell of a terminal runs beside this hub; needed where there are several. */
  has?(id: string): Promise<boolean>;
  /** A principal's terminals. */
  list(principal: string): Promise<readonly ShellInfo[]>;
  /** Ends a terminal and its shell; rejects with `terminal-not-found`. */
  end(principal: string, id: string): Promise<void>;
  /** Ends the shells of terminals whose key has changed. */
  review(): void;
  /** Ends every shell that cannot outlive the hub. */
  close(): Promise<void>;
}

export type MountShell = (host: ShellHost) => ShellDoor;

export interface ShellOptions {
  readonly mount: MountShell;
  /** In local mode: the key for creating codes. Called at every use, so that it can change. */
  readonly key?: () => string;
  /** The origins that programs may fetch from through the hub's own terminal page, which asks its user; none by default. */
  readonly fetchOrigins?: readonly string[];
}

/**
 * Terminals that are off until a program that has the key switches them on, for this run of the hub. In local mode only.
 */
export interface LaterShellOptions extends Pick<ShellOptions, "fetchOrigins"> {
  /** Called when they are switched on; rejects with why they cannot be. */
  readonly load: () => Promise<MountShell>;
  /** As of `ShellOptions`. */
  readonly key: () => string;
}

/** Whether a hub has terminals, and how they are switched on while it runs. */
export interface ShellSwitch extends Partial<ShellOptions>, Partial<Pick<LaterShellOptions, "load">> {
  isOn: boolean;
}
