import { PagewireError } from "../wire/index.ts";

/** The message authentication code of a text, HMAC-SHA256 in base64url. */
export async function codeOf(key: string, text: string): Promise<string> {
  const made = await subtle().importKey("raw", bytesOf(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return base64url(new Uint8Array(await subtle().sign("HMAC", made, bytesOf(text))));
}

/** The SHA-256 digest of a text in base64url. */
export async function digestOf(text: string): Promise<string> {
  return base64url(new Uint8Array(await subtle().digest("SHA-256", bytesOf(text))));
}

/** 32 random bytes in base64url. */
export function newNonce(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function subtle(): NonNullable<typeof crypto.subtle> {
  if (crypto.subtle !== undefined) return crypto.subtle;
  throw new PagewireError("hub-not-proven", noCodes);
}

const noCodes =
  "This page can have no hub prove who it is: browsers let only pages over https, or of this machine, do so. Serve it over https. The token was not sent.";

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
