// The terminals of all principals: who they are, the token that their programs bring, and the tab each is attached to.
// It knows nothing of shells or sockets: what shows a terminal says which tab is in front of it.
import type { TokenBudgets } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";

/** A terminal, as its owner sees it. */
export interface TerminalInfo {
  /** Unguessable, and no secret: only together with the token of the same terminal does it name anything. */
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A new terminal; the token is told this once. */
export interface NewTerminal extends TerminalInfo {
  readonly token: string;
}

/** The credential with which a terminal was made. When that is changed, the terminal's token is worth nothing. */
export type MadeWith = "agent" | "shell";

export interface TerminalOptions {
  readonly name: string;
  /** When it ends at the latest, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** What may open shells by default. */
  readonly madeWith?: MadeWith;
  /** The token of jwt mode that it was made with, where that has an id. */
  readonly tokenId?: string | undefined;
  /** What that token allows, where it is less than the hub does. */
  readonly allowed?: TokenBudgets | undefined;
}

export interface Terminals {
  /** Makes a terminal. Rejects where the principal has too many. */
  create(principal: string, options: TerminalOptions): Promise<NewTerminal>;
  /** Undefined where the principal has no such terminal. Whoever asks uses it. */
  find(principal: string, id: string): Promise<TerminalInfo | undefined>;
  list(principal: string): Promise<readonly TerminalInfo[]>;
  /** Gives it another name, where the principal has such a terminal. */
  rename(principal: string, id: string, name: string): Promise<void>;
  /** Its token is worth nothing from now on. Can be called twice. */
  end(principal: string, id: string): Promise<void>;
  /** Says in which tab a principal's terminal is, or that it is in none. */
  attach(principal: string, id: string, tabId: string | undefined): Promise<void>;
  attachedTab(id: string): string | undefined;
  /** Hears that another tab, or none, is attached to a terminal. */
  onAttached(listener: (id: string, tabId: string | undefined) => void): () => void;
  /** The key with which the hub proves itself to the programs whose token has this digest. */
  proofKey(digest: string): Promise<string | undefined>;
  /** The program that brings this token; rejects with token-invalid or token-expired. */
  verify(token: string): Promise<Admitted>;
  isStillGood(admitted: Admitted): boolean;
}
