// A view's credential: a one-time code, a token of the app, or the token that a code was exchanged for, which the
// browser stores for all tabs of the origin.
import { PagewireError } from "../../wire/index.ts";
import type { TokenStorage } from "./token-storage.ts";

/** The credential in a view's hello. */
export interface Proof {
  readonly code?: string;
  readonly token?: string;
  readonly key?: string;
}

/** Binds the token of the hub's own page to a key that cannot leave its browser. */
export interface ShellKey {
  /** Undefined if there is no such key. */
  publicKey(): Promise<string | undefined>;
  bearer(token: string, isFresh: boolean): Promise<string>;
}

/** A token that the app's own server signed, or how to get a fresh one. */
export type ShellToken = string | (() => string | Promise<string>);

export interface ShellCredentials {
  /** The current credential; rejects with `token-required` if there is none. */
  prove(): Promise<Proof>;
  /** Sets the code that the user entered. */
  useCode(code: string): void;
  /** The hub accepted the credential, and exchanged a code for this token. */
  accepted(token: string | undefined): void;
  /** The hub refused the credential: returns whether there is another one to try. */
  refused(): boolean;
  /** Removes the stored token. */
  forget(): void;
}

/** A token, or a function that signs it. */
export type SignedInToken = string | (() => Promise<string>);

export interface ShellCredentialsOptions {
  readonly code?: string | undefined;
  readonly token?: ShellToken | undefined;
  readonly storage: TokenStorage;
  readonly key?: ShellKey | undefined;
  /** Called with the token that the hub accepted; with undefined when the stored one is removed. */
  readonly onSignedIn?: (token: SignedInToken | undefined) => void;
}

export function createShellCredentials(options: ShellCredentialsOptions): ShellCredentials {
  const { token, storage, key, onSignedIn = () => {} } = options;
  let { code } = options;
  /** The token of the last hello, unsigned. */
  let said: string | undefined;
  let isIn: { readonly token: string; readonly bring: SignedInToken } | undefined;
  /** Whether the app was asked for another token because the hub refused the last one. */
  let isSecond = false;

  function drop(): void {
    storage.write(undefined);
    isIn = undefined;
    onSignedIn(undefined);
  }

  /** Returns the same function for the same token, because that is no new sign-in. */
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
        // Another tab may have signed in again in the meantime.
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
