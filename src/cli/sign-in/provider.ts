// The identity provider of a hub, as a client of it.
import {
  ClientError,
  Configuration,
  None,
  ResponseBodyError,
  allowInsecureRequests,
  customFetch,
  discovery,
} from "openid-client";
import type { CustomFetch, ServerMetadata } from "openid-client";
import { PagewireError, messageOf, parseUrl } from "../../wire/index.ts";
import { isLoopback } from "../reach-hub/find-hub.ts";
import { certificateProblem } from "../reach-hub/send-over-http.ts";

type Fetch = typeof fetch;

/** Reads what a provider publishes about itself; it must be the provider that was named. */
export async function discoverProvider(issuer: string, fetch: Fetch): Promise<ServerMetadata> {
  const url = parseUrl(issuer);
  const isPlain = url?.protocol === "http:" && isLoopback(issuer);
  if (url === undefined || !(url.protocol === "https:" || isPlain))
    throw new PagewireError("address-refused", `The identity provider ${issuer} has no https address.`);
  const read = async (algorithm: "oidc" | "oauth2") => {
    const execute = isPlain ? [allowInsecureRequests] : [];
    const found = await discovery(url, "unknown", undefined, None(), {
      algorithm,
      execute,
      [customFetch]: fetch as CustomFetch,
    });
    return found.serverMetadata();
  };
  try {
    return await byEitherDocument(read);
  } catch (error) {
    throw providerError(error, issuer);
  }
}

/** A provider publishes what it is by OpenID Connect, or by OAuth alone. */
export async function byEitherDocument<Value>(read: (algorithm: "oidc" | "oauth2") => Promise<Value>): Promise<Value> {
  return read("oidc").catch((error: unknown) => {
    const status = statusOf(error);
    if (status === undefined || status >= 500) throw error;
    return read("oauth2");
  });
}

export function createClient(server: ServerMetadata, clientId: string, fetch: Fetch): Configuration {
  const config = new Configuration(server, clientId, { token_endpoint_auth_method: "none" }, None());
  config[customFetch] = fetch as CustomFetch;
  if (server.issuer.startsWith("http:") && isLoopback(server.issuer)) allowInsecureRequests(config);
  return config;
}

/** The HTTP status of an answer that was not as it should be. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof ResponseBodyError) return error.status;
  const { cause } = Object(error) as { readonly cause?: unknown };
  return cause instanceof Response ? cause.status : undefined;
}

/** The provider's error code, such as invalid_grant. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof ResponseBodyError && error.status < 500 ? error.error : undefined;
}

/** A provider that is away, that refuses, or that answers as none does, as an error for people. */
export function providerError(error: unknown, issuer: string): unknown {
  if (PagewireError.isInstance(error)) return error;
  const problem = certificateProblem(error);
  if (problem !== undefined)
    return new PagewireError("identity-unavailable", `Something answers at ${issuer}. ${problem}`, { cause: error });
  if (refusalOf(error) !== undefined) {
    const { error: code, error_description: why } = error as ResponseBodyError;
    const message = `The identity provider ${issuer} refused: ${why ?? code} (${code}).`;
    return new PagewireError("token-invalid", message, { cause: error });
  }
  const status = statusOf(error);
  if (error instanceof ClientError && status !== undefined && status < 500) {
    const message = `What answers at ${issuer} is not the identity provider that it should be: ${messageOf(error)} (HTTP ${status}).`;
    return new PagewireError("identity-unavailable", message, { cause: error });
  }
  const { cause = error } = Object(error) as { readonly cause?: unknown };
  const why = cause instanceof Response ? `it says ${cause.status}` : messageOf(cause);
  const message = `The identity provider ${issuer} does not answer now: ${why}. Try again in a moment.`;
  return new PagewireError("identity-unavailable", message, { cause: error });
}
