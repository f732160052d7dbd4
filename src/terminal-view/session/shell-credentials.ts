// A view's credential: a one-time code, a token of the app, or the token that a code was exchanged for, which the
// browser stores for all tabs of the origin.
import { PagewireError } from "../../wire/index.ts";

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
  let sent: string | undefined;
  let signedIn: { readonly token: string; readonly sign: SignedInToken } | undefined;
  /** Whether the app was asked for another token because the hub refused the last one. */
  let isSecond = false;

  function drop(): void {
    storage.write(undefined);
    signedIn = undefined;
    onSignedIn(undefined);
  }

  /** Returns the same function for the same token, because that is no new sign-in. */
  function signing(own: string | undefined): SignedInToken | undefined {
    if (own === undefined || !key || token !== undefined) return own;
    if (signedIn?.token !== own) signedIn = { token: own, sign: () => key.bearer(own, true) };
    return signedIn.sign;
  }

  const ownToken = () => (typeof token === "function" ? token() : (token ?? storage.read()));

  return {
    async prove() {
      const own = (await ownToken()) || undefined;
      sent = own;
      const signed = own !== undefined && key && token === undefined ? await key.bearer(own, true) : own;
      const publicKey = code === undefined ? undefined : await key?.publicKey();
      const proof = {
        ...(code === undefined ? {} : { code }),
        ...(signed === undefined ? {} : { token: signed }),
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
      onSignedIn(signing(given ?? sent));
    },
    refused() {
      code = undefined;
      if (token === undefined) {
        const kept = storage.read();
        // Another tab may have signed in again in the meantime.
        if (kept !== sent) return kept !== undefined;
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

/** The browser's storage of the terminal token of one hub, shared by all tabs of an origin. */
export interface TokenStorage {
  read(): string | undefined;
  /** Stores a token; undefined removes it. If the browser stores nothing, it lasts as long as this document. */
  write(token: string | undefined): void;
  /** Called when another tab has signed in; returns a function that stops it. */
  onElsewhere(listener: () => void): () => void;
}

export function createTokenStorage(hub: string): TokenStorage {
  const key = `pagewire.shell-token ${hub}`;
  let unstored: string | undefined;
  return {
    read() {
      try {
        return localStorage.getItem(key) ?? unstored;
      } catch {
        return unstored;
      }
    },
    write(token) {
      unstored = undefined;
      try {
        if (token === undefined) localStorage.removeItem(key);
        else localStorage.setItem(key, token);
      } catch {
        unstored = token;
      }
    },
    onElsewhere(listener) {
      const onStorage = ({ key: changed, newValue, storageArea }: StorageEvent): void => {
        if (changed === key && newValue !== null && storageArea !== sessionStorage) listener();
      };
      addEventListener("storage", onStorage);
      return () => removeEventListener("storage", onStorage);
    },
  };
}
