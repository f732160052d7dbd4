// The meaning of an identity provider's error for the hub: it is away, it refuses, or its answer is not good.
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";

/** Codes of openid-client and jose for a request without an answer that could be read. */
const awayCodes: readonly unknown[] = [
  ...["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"],
  ...["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"],
];

const retryAfter = 5000;

/** `identity-unavailable`, `token-expired` for who is not signed in there any more, or `code-invalid`. */
export function identityError({ title }: Pick<Provider, "title">, error: unknown): PagewireError {
  if (PagewireError.isInstance(error)) return error;
  const options = { cause: error };
  if (error instanceof ResponseBodyError && error.error === "invalid_grant")
    return new PagewireError("token-expired", `${title} does not answer for this sign-in any more.`, options);
  if (error instanceof WWWAuthenticateChallengeError)
    return new PagewireError("token-expired", `${title} does not take the token of this sign-in.`, options);
  if (error instanceof AuthorizationResponseError)
    return new PagewireError("code-invalid", `${title} did not sign you in.`, options);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // The hub's own client is refused, or the answer is of no use to anyone: the person may be signed in all the same.
  const isAway = error instanceof TypeError || error instanceof ResponseBodyError || awayCodes.includes(code);
  if (!isAway) return new PagewireError("code-invalid", `The answer of ${title} is not good.`, options);
  const message = `${title} cannot be asked at the moment: ${messageOf(error)}`;
  return new PagewireError("identity-unavailable", message, { ...options, retryAfter });
}

/** The provider's words, for the hub's log: a wrong secret or redirect URI is seen there only. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const isAnswer = cause instanceof ResponseBodyError || cause instanceof AuthorizationResponseError;
  const said = isAnswer ? ` (${[cause.error, cause.error_description].filter(Boolean).join(": ")})` : "";
  return messageOf(error) + said;
}
