// The registry of terminals: their tokens, and the tab that each is attached to. It is independent of shells and sockets: the
// view of a terminal reports its tab.
import type { TokenBudgets } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";

export interface TerminalInfo {
  /** Unguessable, but not secret: it is only accepted together with the terminal's token. */
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The token is returned only here. */
export interface NewTerminal extends TerminalInfo {
  readonly token: string;
}

/** The credential that a terminal derives from. When it changes, the terminal's token becomes invalid. */
export type MadeWith = "agent" | "shell";

export interface TerminalOptions {
  readonly name: string;
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** "shell" by default. */
  readonly madeWith?: MadeWith;
  /** The `jti` of the creating token, in jwt mode. */
  readonly tokenId?: string | undefined;
  /** That token's lower limits. */
  readonly allowed?: TokenBudgets | undefined;
}

export interface Terminals {
  /** Rejects if the principal has too many terminals. */
  create(principal: string, options: TerminalOptions): Promise<NewTerminal>;
  /** Undefined if the principal has no such terminal. Counts as a use. */
  find(principal: string, id: string): Promise<TerminalInfo | undefined>;
  list(principal: string): Promise<readonly TerminalInfo[]>;
  rename(principal: string, id: string, name: string): Promise<void>;
  /** Invalidates its token. Can be called twice. */
  end(principal: string, id: string): Promise<void>;
  /** Attaches a terminal to a tab, or detaches it with undefined. */
  attach(principal: string, id: string, tabId: string | undefined): Promise<void>;
  attachedTab(id: string): string | undefined;
  /** Subscribes to changes of attachments. */
  onAttached(listener: (id: string, tabId: string | undefined) => void): () => void;
  /** The proof key of the terminal whose token has this digest. */
  proofKey(digest: string): Promise<string | undefined>;
  /** Authenticates a program by its token; rejects with token-invalid or token-expired. */
  verify(token: string): Promise<Admitted>;
  isStillGood(admitted: Admitted): boolean;
}
