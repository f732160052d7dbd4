// The seam between a hub and what serves its terminals, which the command mounts: a hub has no shells of its own.
import type { Link } from "../../link/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Note } from "../common/log.ts";
import type { Terminals } from "./terminals.ts";

/** What a view of terminals brings in its first frame: a one-time code, or the token that it got for one. */
export interface ShellProof {
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  /** With a code: the key that its page will sign with. */
  readonly key?: string | undefined;
}

/** A view that may open terminals. */
export interface ShellPass {
  readonly admitted: Admitted;
  /** The token to bring next time, where a code was exchanged. */
  readonly token?: string;
  readonly expiresAt?: number;
}

/** What a hub gives to whatever serves its terminals. */
export interface ShellHost {
  /** The hub's address, for the environment of shells. */
  readonly url: string;
  readonly limits: Limits;
  readonly note: Note;
  readonly terminals: Terminals;
  /** Rejects with a named error. What a code is exchanged for is bound to the origin. */
  signIn(proof: ShellProof, origin: string | undefined): Promise<ShellPass>;
  /** Ends what a code was exchanged for, and closes every view that came by it; rejects where it was no code. */
  signOut(admitted: Admitted): Promise<void>;
  /** Whether a page of this origin and principal is this tab. */
  hasTab(principal: string, tabId: string, origin: string | undefined): boolean;
}

/** One socket of a view, whose user has not said who they are. */
export interface ShellVisit {
  readonly link: Link;
  readonly origin: string | undefined;
  /** To be called when it is known who it is; what it returns, when they have left. */
  readonly known: (admitted: Admitted, link: Link) => () => void;
}

/** What serves terminals. */
export interface ShellDoor {
  serve(visit: ShellVisit): void;
  /** Ends the shells of terminals that rested on a key which is another one now. */
  review(): void;
  /** Ends every shell that cannot live on without the hub. */
  close(): Promise<void>;
}

export type MountShell = (host: ShellHost) => ShellDoor;

export interface ShellOptions {
  readonly mount: MountShell;
  /** In local mode: the one key with which codes for views are made. It is asked for at every use, so that it can change. */
  readonly key?: () => string;
}
