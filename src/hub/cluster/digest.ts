import { createHash } from "node:crypto";

/** A principal's name in subjects: a token that tells nothing. */
export function principalDigest(principal: string): string {
  return createHash("sha256").update(principal).digest("base64url").slice(0, 22);
}
