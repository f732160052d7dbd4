// A person's access token of the provider of these tests, by the code flow.
import {
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  randomPKCECodeVerifier,
} from "openid-client";
import type { TestProvider } from "./start-provider.test-helper.ts";

export interface TokensAsked {
  readonly resource: string;
  readonly scope?: string;
}

const redirect = "http://127.0.0.1:5/back";

/** A client of a program, to start a provider with. */
export const publicClient = {
  client_id: "cli",
  token_endpoint_auth_method: "none" as const,
  redirect_uris: [redirect],
  application_type: "native" as const,
  grant_types: ["authorization_code", "refresh_token"],
};

export async function getTokens({ issuer, visit }: TestProvider, { resource, scope = "tools" }: TokensAsked) {
  const config = await discovery(new URL(issuer), publicClient.client_id, undefined, None(), {
    execute: [allowInsecureRequests],
  });
  const verifier = randomPKCECodeVerifier();
  const address = buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirect, scope, resource, prompt: "consent" },
    ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
  });
  const back = await visit(address.href);
  const tokens = await authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier }, { resource });
  return { ...tokens, config };
}
