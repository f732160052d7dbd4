// Signs in with the browser of any machine, by a code (RFC 8628).
import { ResponseBodyError, initiateDeviceAuthorization, pollDeviceAuthorizationGrant } from "openid-client";
import type { TokenEndpointResponse } from "openid-client";
import { PagewireError } from "../../wire/index.ts";
import type { SignIn } from "./loopback.ts";
import { providerError } from "./provider.ts";

export interface DeviceCode {
  readonly code: string;
  /** The page to type it into. */
  readonly url: string;
  /** The same with the code in it, if the provider has such an address. */
  readonly wholeUrl: string | undefined;
}

export interface DeviceOptions extends SignIn {
  show(code: DeviceCode): void;
}

export async function signInByCode({
  client,
  scope,
  resource,
  signal,
  show,
}: DeviceOptions): Promise<TokenEndpointResponse> {
  const { issuer, device_authorization_endpoint } = client.serverMetadata();
  if (device_authorization_endpoint === undefined)
    throw new PagewireError(
      "token-required",
      `The identity provider ${issuer} signs nobody in by a code. Leave out --device.`,
    );
  try {
    const asked = await initiateDeviceAuthorization(client, { scope, resource });
    show({
      code: asked.user_code,
      url: asked.verification_uri,
      wholeUrl: asked.verification_uri_complete,
    });
    return await pollDeviceAuthorizationGrant(client, asked, { resource }, { signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const code = error instanceof ResponseBodyError ? error.error : codeOf(error);
    throw words[code] === undefined
      ? providerError(error, issuer)
      : new PagewireError(...words[code], { cause: error });
  }
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return String(code);
}

const late = ["deadline-exceeded", "The code was not used in time. Run this again for another one."] as const;

const words: Readonly<Record<string, readonly ["deadline-exceeded" | "token-required", string]>> = {
  expired_token: late,
  // The library's word for the end of the code's time.
  OAUTH_TIMEOUT: late,
  access_denied: ["token-required", "You were not signed in: the sign-in was refused in the browser."],
};
