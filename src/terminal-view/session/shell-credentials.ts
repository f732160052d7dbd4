// With what a view says who it is: a one-time code, a token of the app's own, or the token that a code was exchanged for,
// which this browser keeps for all tabs of the origin.
import { PagewireError } from "../../wire/index.ts";
import type { TokenStorage } from "./token-storage.ts";

/** What a view brings in its first frame. */
export interface Proof {
  readonly code?: string;
  readonly token?: string;
  readonly key?: string;
}

/** How the hub's own page signs for what it was given for a code, with a key that cannot leave its browser. */
export interface ShellKey {
  /** Undefined where there is no such key. */
  publicKey(): Promise<string | undefined>;
  bearer(token: string, isFresh: boolean): Promise<string>;
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

/** A token, or how to get what is to be brought instead of it. */
export type SignedInToken = string | (() => Promise<string>);

export interface ShellCredentialsOptions {
  readonly code?: string | undefined;
  readonly token?: ShellToken | undefined;
  readonly storage: TokenStorage;
  readonly key?: ShellKey | undefined;
  /** Hears with which token the hub let this view in; undefined when the one that the browser kept is forgotten. */
  readonly onSignedIn?: (token: SignedInToken | undefined) => void;
}

export function createShellCredentials(options: ShellCredentialsOptions): ShellCredentials {
  const { token, storage, key, onSignedIn = () => {} } = options;
  let { code } = options;
  /** The token that was said, without a signature. */
  let said: string | undefined;
  let isIn: { readonly token: string; readonly bring: SignedInToken } | undefined;
  /** Whether the app's own token was asked for again because the hub refused the one before. */
  let isSecond = false;

  function drop(): void {
    storage.write(undefined);
    isIn = undefined;
    onSignedIn(undefined);
  }

  /** The same again for the same token: nobody signed in anew. */
  function bringing(own: string | undefined): SignedInToken | undefined {
    if (own === undefined || !key || token !== undefined) return own;
    if (isIn?.token !== own) isIn = { token: own, bring: () => key.bearer(own, true) };
    return isIn.bring;
  }

  const ownToken = () => (typeof token === "function" ? token() : (token ?? storage.read()));

  return {
    async prove() {
      const own = (await ownToken()) || undefined;
      said = own;
      const brought = own !== undefined && key && token === undefined ? await key.bearer(own, true) : own;
      const publicKey = code === undefined ? undefined : await key?.publicKey();
      const proof = {
        ...(code === undefined ? {} : { code }),
        ...(brought === undefined ? {} : { token: brought }),
        ...(publicKey === undefined ? {} : { key: publicKey }),
      };
      if (proof.code !== undefined || proof.token !== undefined) return proof;
      throw new PagewireError("token-required", "A code is needed to open a terminal.");
    },
    useCode(next) {
      code = next;
    },
    accepted(given) {
      code = undefined;
      isSecond = false;
      if (given !== undefined) storage.write(given);
      onSignedIn(bringing(given ?? said));
    },
    refused() {
      code = undefined;
      if (token === undefined) {
        const kept = storage.read();
        // Another tab may have signed in anew by now.
        if (kept !== said) return kept !== undefined;
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
