/** The user of a token. */
export interface UserContext {
  readonly sub: string;
  readonly email?: string;
  readonly name?: string;
  readonly permissions: readonly string[];
  readonly roles: readonly string[];
  readonly orgId?: string;
  /** All claims of the token. */
  readonly raw: Readonly<Record<string, unknown>>;
}

type Claims = Readonly<Record<string, unknown>>;

/** Reads the claims of a verified token. A list that holds anything but texts counts as empty: nothing is granted by mistake. */
export function userContextOf(claims: Claims, rolesClaim: string | undefined): UserContext {
  const { sub, email, name, permissions, roles, org_id: orgId } = claims;
  if (typeof sub !== "string" || sub === "") throw new TypeError("The token names no subject (claim sub).");
  const ownRoles = rolesClaim === undefined ? undefined : claims[rolesClaim];
  return {
    sub,
    ...(typeof email === "string" && { email }),
    ...(typeof name === "string" && { name }),
    permissions: textsOf(permissions),
    roles: textsOf(ownRoles ?? roles),
    ...(typeof orgId === "string" && { orgId }),
    raw: claims,
  };
}

function textsOf(claim: unknown): string[] {
  return Array.isArray(claim) && claim.every((item) => typeof item === "string") ? (claim as string[]) : [];
}
