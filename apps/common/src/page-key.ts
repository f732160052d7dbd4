// This browser's key for the hub's own pages, which no script can export: stolen storage is useless elsewhere.
// The page signs with it what the hub asks, and brings that with its token.
import { formatSignedToken, pageKeyText } from "pagewire/wire";

export interface PageKey {
  /**
   * The public part, in base64url; undefined if this browser does not support such keys, or stores none for this page.
   */
  publicKey(): Promise<string | undefined>;
  /** A signed credential for some minutes; the token itself where there is no key. */
  bearer(token: string, isFresh?: boolean): Promise<string>;
}

export interface PageKeyParts {
  readonly origin: string;
  readonly now: () => number;
  /** Requests a challenge to sign from the hub. */
  challenge(): Promise<string>;
  readonly keyPair: () => Promise<CryptoKeyPair | undefined>;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** How long requests reuse one signature. The hub accepts it for longer. */
const reuseTime = 4 * 60_000;

export function createPageKey({ origin, now, challenge, keyPair }: PageKeyParts): PageKey {
  let kept: Promise<CryptoKeyPair | undefined> | undefined;
  const signed = new Map<string, { readonly text: string; readonly until: number }>();
  const pair = () => (kept ??= keyPair());

  return {
    async publicKey() {
      const keys = await pair();
      return keys && toBase64Url(await crypto.subtle.exportKey("raw", keys.publicKey));
    },
    async bearer(token, isFresh = false) {
      const keys = await pair();
      if (!keys) return token;
      const known = signed.get(token);
      if (!isFresh && known && known.until > now()) return known.text;
      const asked = { token, challenge: await challenge() };
      const text = new TextEncoder().encode(pageKeyText(origin, asked));
      const signature = toBase64Url(await crypto.subtle.sign(algorithm, keys.privateKey, text));
      const bearer = formatSignedToken({ ...asked, signature });
      signed.clear();
      signed.set(token, { text: bearer, until: now() + reuseTime });
      return bearer;
    },
  };
}

/** The key pair of this browser and origin, made where there is none yet. */
export async function keepKeyPair(): Promise<CryptoKeyPair | undefined> {
  // Only pages over https, or of this machine, have it.
  if (globalThis.crypto?.subtle === undefined) return undefined;
  try {
    const opening = indexedDB.open("pagewire", 1);
    opening.addEventListener("upgradeneeded", () => void opening.result.createObjectStore("keys"));
    const database = await done(opening);
    const known = await done<unknown>(database.transaction("keys").objectStore("keys").get("page"));
    if (known !== undefined) return known as CryptoKeyPair;
    const made = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
    const store = database.transaction("keys", "readwrite").objectStore("keys");
    // Another tab may have created one in the meantime: the first one counts.
    const first = await done<unknown>(store.get("page"));
    if (first !== undefined) return first as CryptoKeyPair;
    await done(store.put(made, "page"));
    return made;
  } catch {
    return undefined;
  }
}

function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("The browser keeps nothing here.")));
  });
}

function toBase64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
