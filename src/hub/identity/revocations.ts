import type { Admitted, Holder } from "./admitted.ts";

/** Tokens of jwt mode that were revoked before they expire. */
export interface Revocations {
  /** By `jti`. */
  readonly ids: ReadonlySet<string>;
  /** By subject: tokens issued before this time, in milliseconds since 1970. */
  readonly subjects: ReadonlyMap<string, number>;
}

/** How they are looked up. */
export interface Revoked {
  readonly ids: Pick<Revocations["ids"], "has">;
  readonly subjects: Pick<Revocations["subjects"], "get" | "has">;
}

export const noRevocations: Revocations = { ids: new Set(), subjects: new Map() };

/** A token without an issue time counts as the oldest. */
export function isRevoked(
  { principal, tokenId, issuedAt = 0 }: Holder & Pick<Admitted, "issuedAt">,
  { ids, subjects }: Revoked,
): boolean {
  return (tokenId !== undefined && ids.has(tokenId)) || issuedAt < (subjects.get(principal) ?? 0);
}

/** Part of a derived credential's fingerprint, so that a revocation ends sign-ins and terminals too. */
export function markOf({ principal, tokenId }: Holder, { ids, subjects }: Revoked): string {
  const isRevokedId = tokenId !== undefined && ids.has(tokenId);
  return `${isRevokedId ? " revoked" : ""}${subjects.has(principal) ? ` since ${subjects.get(principal)}` : ""}`;
}
