// How one of the hub's own pages authenticates. If it signed in with a key that cannot leave its browser, its token alone is
// not enough: it signs the hub's challenge, and sends both.

/** The credential of a page, instead of its token. */
export interface SignedToken {
  readonly token: string;
  /** The hub's challenge: its expiry, and a code of the hub's. */
  readonly challenge: string;
  /** In base64url, ECDSA with P-256 and SHA-256 over `pageKeyText`. */
  readonly signature: string;
}

/** The text to sign: valid only for the hub at this origin. */
export function pageKeyText(origin: string, { token, challenge }: Omit<SignedToken, "signature">): string {
  return JSON.stringify(["pagewire/1 page", origin, token, challenge]);
}

export function formatSignedToken({ token, challenge, signature }: SignedToken): string {
  return `${token}.${challenge}.${signature}`;
}

const form = /^(pagewire-(?:app|shell)\.[\w-]{43})\.(\d{1,16}\.[\w-]{43})\.([\w-]{86})$/;

/** Undefined for anything else, such as a token alone. */
export function parseSignedToken(text: string): SignedToken | undefined {
  const [, token, challenge, signature] = form.exec(text) ?? [];
  return token === undefined || challenge === undefined || signature === undefined
    ? undefined
    : { token, challenge, signature };
}
