import { isPrivate } from "./is-private.ts";

export interface Pairing {
  readonly address: string;
  readonly code: string;
}

/** Parses what was pasted: an address with the code behind "#", or both with a space between them. */
export function parsePairing(pasted: string): Pairing | undefined {
  const [address = "", given = "", ...more] = pasted.trim().split(/[\s#]+/);
  const code = given.replace(/^code=/, "");
  if (more.length > 0 || !/^[\w.~-]{4,8192}$/.test(code)) return undefined;
  const url = address.includes("://") ? address : withScheme(address);
  if (!/^https?:\/\/[^\s/?#@]+\/?$/.test(url) || !URL.canParse(url)) return undefined;
  return { address: new URL(url).origin, code };
}

/** A hub on this computer has no certificate; every other one needs one. */
function withScheme(host: string): string {
  const plain = `http://${host}`;
  return URL.canParse(plain) && isPrivate(plain) ? plain : `https://${host}`;
}
