// The meaning of an identity provider's error for the hub: it is away, it refuses, or its answer is not good.
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import { isClientRefused } from "../tokens/client-ways.ts";

/** Codes of openid-client and jose for a request without an answer that could be read. */
const awayCodes: readonly unknown[] = [
  ...["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"],
  ...["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"],
];

/** Errors that providers name, by RFC 6749, RFC 6750 and OpenID Connect Core: the person has to sign in again. */
const endings: readonly unknown[] = [
  ...["invalid_grant", "invalid_token", "access_denied"],
  ...["interaction_required", "login_required", "consent_required", "account_selection_required"],
];
/** They are busy. All other errors say that the hub's own client is not registered as it should be. */
const busy: readonly unknown[] = ["server_error", "temporarily_unavailable", "slow_down"];

const retryAfter = 5000;

/** `identity-unavailable`, `token-expired` for a person who has to sign in again, or `code-invalid`. */
export function identityError({ title }: Pick<Provider, "title">, error: unknown): PagewireError {
  if (PagewireError.isInstance(error)) return error;
  const options = { cause: error };
  const named = namedIn(error);
  if (endings.includes(named))
    return error instanceof AuthorizationResponseError
      ? new PagewireError("code-invalid", `${title} did not sign you in.`, options)
      : new PagewireError(
          "token-expired",
          `${title} does not answer for this sign-in any more. Sign in again.`,
          options,
        );
  if (named === undefined && !isWithoutAnswer(error))
    return new PagewireError("code-invalid", `The answer of ${title} is not good.`, options);
  // Persons may be signed in there all the same.
  const message =
    named === undefined || busy.includes(named)
      ? `${title} cannot be asked at the moment: ${messageOf(error)}`
      : `${title} refuses the hub's own client: its registration there and team.json differ`;
  return new PagewireError("identity-unavailable", message, { ...options, retryAfter });
}

function isWithoutAnswer(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && "code" in error && awayCodes.includes(error.code));
}

/** The error that a provider named, in an answer, in the address of the way back, or in a challenge. */
function namedIn(error: unknown): string | undefined {
  if (isClientRefused(error)) return "invalid_client";
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return error.error;
  if (!(error instanceof WWWAuthenticateChallengeError)) return undefined;
  const [challenge] = error.cause;
  return challenge?.parameters.error ?? "invalid_token";
}

/** The provider's words or the network's, for the hub's log: a wrong secret or a certificate is seen there only. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const named = cause instanceof ResponseBodyError ? cause.error : namedIn(cause);
  const more = cause instanceof Error && "error_description" in cause ? cause.error_description : undefined;
  const reason = named === undefined ? lastReasonOf(error) : [named, more].filter(Boolean).join(": ");
  const message = messageOf(error);
  return reason === "" || message.includes(reason) ? message : `${message} (${reason})`;
}

/** `fetch` itself says only that it failed. What was tried at several addresses has a code, and no message. */
function lastReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return lastReasonOf(error.cause) || error.message || ("code" in error ? String(error.code) : "");
}
