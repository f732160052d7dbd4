// The interface between a hub and its terminal server, which the command line mounts: a hub has no shells itself.
import type { Link } from "../../link/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Note } from "../common/log.ts";
import type { Terminals } from "./terminals.ts";

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

/** The hub's side, for the terminal server. */
export interface ShellHost {
  /** The hub's URL, for the environment of shells. */
  readonly url: string;
  readonly limits: Limits;
  readonly note: Note;
  readonly terminals: Terminals;
  /** Rejects with a named error. A token is bound to the origin that exchanged its code. */
  signIn(proof: ShellProof, origin: string | undefined): Promise<ShellPass>;
  /** Ends a sign-in by code, and closes all its views; rejects other credentials. */
  signOut(admitted: Admitted): Promise<void>;
  /** Whether this tab belongs to this origin and principal. */
  hasTab(principal: string, tabId: string, origin: string | undefined): boolean;
}

/** A view's socket, before it has authenticated. */
export interface ShellVisit {
  readonly link: Link;
  readonly origin: string | undefined;
  /** To be called after authentication; returns a function to call when the view disconnects. */
  readonly known: (admitted: Admitted, link: Link) => () => void;
}

/** The terminal server. */
export interface ShellDoor {
  serve(visit: ShellVisit): void;
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
}
