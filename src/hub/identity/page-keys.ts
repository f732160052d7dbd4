// Verifies signatures of the hub's own pages. Stateless: challenges derive from a key of this process, so a signature for
// another hub or an earlier run is worthless; hubs that share a store have a key for all of them.
import { createHmac, createPublicKey, randomBytes, timingSafeEqual, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { pageKeyText } from "../../wire/index.ts";
import type { Limits, SignedToken } from "../../wire/index.ts";

export interface PageKeys {
  /** A challenge for a page to sign, valid for `proofTime`. */
  challenge(): string;
  /** Whether the key signed one of our challenges, for this origin. */
  isSigned(signed: SignedToken, key: string, origin: string): boolean;
}

export function createPageKeys(
  { proofTime }: Pick<Limits, "proofTime">,
  now: () => number,
  hubsKey?: () => string,
): PageKeys {
  const runKey = randomBytes(32).toString("base64url");
  const codeOf = (expiresAt: string) =>
    createHmac("sha256", hubsKey?.() ?? runKey)
      .update(`page ${expiresAt}`)
      .digest();

  function isOurs(challenge: string): boolean {
    const [expiresAt = "", code = ""] = challenge.split(".");
    const given = Buffer.from(code, "base64url");
    const expected = codeOf(expiresAt);
    return Number(expiresAt) > now() && given.length === expected.length && timingSafeEqual(given, expected);
  }

  return {
    challenge() {
      const expiresAt = `${now() + proofTime}`;
      return `${expiresAt}.${codeOf(expiresAt).toString("base64url")}`;
    },
    isSigned(signed, key, origin) {
      const publicKey = isOurs(signed.challenge) ? readKey(key) : undefined;
      if (!publicKey) return false;
      const text = Buffer.from(pageKeyText(origin, signed));
      const signature = Buffer.from(signed.signature, "base64url");
      return verify("sha256", text, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
    },
  };
}

/** Whether a text is a page's public key: an uncompressed P-256 point in base64url. */
export function isPageKey(text: string): boolean {
  return readKey(text) !== undefined;
}

function readKey(text: string): KeyObject | undefined {
  const point = Buffer.from(text, "base64url");
  if (point.length !== 65 || point[0] !== 4) return undefined;
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
  try {
    return createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  } catch {
    // Not a point on the curve.
    return undefined;
  }
}
