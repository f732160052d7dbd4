export interface Pairing {
  readonly address: string;
  readonly code: string;
}

/** Parses what was pasted: an address with the code behind "#", or both with a space between them. */
export function parsePairing(pasted: string): Pairing | undefined {
  const [address = "", given = "", ...more] = pasted.trim().split(/[\s#]+/);
  const code = given.replace(/^code=/, "");
  if (more.length > 0 || !/^[\w.~-]{4,8192}$/.test(code)) return undefined;
  const url = address.includes("://") ? address : `http://${address}`;
  if (!/^https?:\/\/[^\s/?#@]+\/?$/.test(url) || !URL.canParse(url)) return undefined;
  return { address: new URL(url).origin, code };
}
