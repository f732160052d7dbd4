// With what a view says who it is: a one-time code, a token of the app's own, or the token that a code was exchanged for,
// which this browser keeps for all tabs of the origin.
import { PagewireError } from "../../wire/index.ts";
import type { TokenStorage } from "./token-storage.ts";

/** What a view brings in its first frame. */
export interface Proof {
  readonly code?: string;
  readonly token?: string;
}

/** A token that the app's own server signed, or how to get a fresh one. */
export type ShellToken = string | (() => string | Promise<string>);

export interface ShellCredentials {
  /** What to say now; rejects with `token-required` where there is nothing. */
  prove(): Promise<Proof>;
  /** Brings a code that somebody typed. */
  useCode(code: string): void;
  /** The hub took what was said, and gave this token for a code. */
  accepted(token: string | undefined): void;
  /** The hub refused what was said: says whether there is something else to say. */
  refused(): boolean;
  /** Forgets the token that this browser keeps. */
  forget(): void;
}

export interface ShellCredentialsOptions {
  readonly code?: string | undefined;
  readonly token?: ShellToken | undefined;
  readonly storage: TokenStorage;
  /** Hears with which token the hub let this view in; undefined when the one that the browser kept is forgotten. */
  readonly onSignedIn?: (token: string | undefined) => void;
}

export function createShellCredentials(options: ShellCredentialsOptions): ShellCredentials {
  const { token, storage, onSignedIn = () => {} } = options;
  let { code } = options;
  let said: Proof = {};
  /** Whether the app's own token was asked for again because the hub refused the one before. */
  let isSecond = false;

  function drop(): void {
    storage.write(undefined);
    onSignedIn(undefined);
  }

  const ownToken = () => (typeof token === "function" ? token() : (token ?? storage.read()));

  return {
    async prove() {
      const own = await ownToken();
      said = { ...(code === undefined ? {} : { code }), ...(own ? { token: own } : {}) };
      if (said.code !== undefined || said.token !== undefined) return said;
      throw new PagewireError("token-required", "A code is needed to open a terminal.");
    },
    useCode(next) {
      code = next;
    },
    accepted(given) {
      code = undefined;
      isSecond = false;
      if (given !== undefined) storage.write(given);
      onSignedIn(given ?? said.token);
    },
    refused() {
      code = undefined;
      if (token === undefined) {
        const kept = storage.read();
        // Another tab may have signed in anew by now.
        if (kept !== said.token) return kept !== undefined;
        drop();
        return false;
      }
      const isWorthIt = typeof token === "function" && !isSecond;
      isSecond = true;
      return isWorthIt;
    },
    forget() {
      code = undefined;
      drop();
    },
  };
}
