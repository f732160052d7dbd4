// How a page of the hub's own says who it is. Where it signed in with a key that cannot leave its browser, its token alone
// lets nobody in: it signs what the hub asks it, and brings both.

/** What a page brings instead of its token. */
export interface SignedToken {
  readonly token: string;
  /** What the hub asked: until when it is good, and a code of the hub's. */
  readonly challenge: string;
  /** In base64url, ECDSA with P-256 and SHA-256 over `pageKeyText`. */
  readonly signature: string;
}

/** What is signed: for the hub at this origin, and for no other. */
export function pageKeyText(origin: string, { token, challenge }: Omit<SignedToken, "signature">): string {
  return JSON.stringify(["pagewire/1 page", origin, token, challenge]);
}

export function formatSignedToken({ token, challenge, signature }: SignedToken): string {
  return `${token}.${challenge}.${signature}`;
}

const form = /^(pagewire-(?:app|shell)\.[\w-]{43})\.(\d{1,16}\.[\w-]{43})\.([\w-]{86})$/;

/** Undefined where it is something else, such as a token alone. */
export function parseSignedToken(text: string): SignedToken | undefined {
  const [, token, challenge, signature] = form.exec(text) ?? [];
  return token === undefined || challenge === undefined || signature === undefined
    ? undefined
    : { token, challenge, signature };
}
