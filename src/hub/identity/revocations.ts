import type { Admitted, Holder } from "./admitted.ts";

/** Tokens of jwt mode that are not good any more, though they have not ended. */
export interface Revocations {
  /** By their id, the claim `jti`. */
  readonly ids: ReadonlySet<string>;
  /** By their subject: those that were not issued at this time or later, in milliseconds since 1970. */
  readonly subjects: ReadonlyMap<string, number>;
}

export const noRevocations: Revocations = { ids: new Set(), subjects: new Map() };

/** One who says nothing of when it was issued may be older. */
export function isRevoked(
  { principal, tokenId, issuedAt = 0 }: Holder & Pick<Admitted, "issuedAt">,
  { ids, subjects }: Revocations,
): boolean {
  return (tokenId !== undefined && ids.has(tokenId)) || issuedAt < (subjects.get(principal) ?? 0);
}

/** Differs where sign-ins and terminals that rest on a token of somebody's are to end. */
export function markOf({ principal, tokenId }: Holder, { ids, subjects }: Revocations): string {
  const isRevokedId = tokenId !== undefined && ids.has(tokenId);
  return `${isRevokedId ? " revoked" : ""}${subjects.has(principal) ? ` since ${subjects.get(principal)}` : ""}`;
}
