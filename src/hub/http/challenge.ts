// The header with which a refusal says how to get in.
import { PagewireError } from "../../wire/index.ts";
import type { Scope } from "../identity/scopes.ts";

/** The header `WWW-Authenticate` of a refusal, where it has one. */
export type Challenge = (error: unknown) => Readonly<Record<string, string>>;

const unauthenticated: readonly string[] = ["token-required", "token-invalid", "token-expired", "code-invalid"];

export const plainChallenge: Challenge = (error) =>
  PagewireError.isInstance(error) && unauthenticated.includes(error.code) ? { "WWW-Authenticate": "Bearer" } : {};

/** A credential that is good, and may not be used for this. */
export class ScopeNeeded extends PagewireError {
  readonly needed: Scope;
  readonly principal: string;

  constructor(needed: Scope, principal: string) {
    super("scope-needed", `The token may not be used for this. Get one with the scope ${needed}.`);
    this.needed = needed;
    this.principal = principal;
  }
}
