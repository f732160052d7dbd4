// Signs in with the browser of this machine, which comes back to an address here (RFC 8252).
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { Configuration, TokenEndpointResponse } from "openid-client";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { providerError } from "./provider.ts";

export interface SignIn {
  readonly client: Configuration;
  readonly scope: string;
  /** The audience of the tokens. */
  readonly resource: string;
  readonly signal: AbortSignal;
}

export interface LoopbackOptions extends SignIn {
  /** Shows the page to sign in at. */
  open(url: string): void;
  /** How long the person may take. */
  readonly timeLimit?: number;
}

const defaultTimeLimit = 5 * 60_000;
const callbackPath = "/callback";

export async function signInByBrowser(options: LoopbackOptions): Promise<TokenEndpointResponse> {
  const { client, scope, resource, open } = options;
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}${callbackPath}`;
    const [verifier, state] = [randomPKCECodeVerifier(), randomState()];
    const address = buildAuthorizationUrl(client, {
      ...{ redirect_uri: redirect, scope, resource, state },
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      // OpenID Connect gives tokens for later only to whom was asked for them.
      ...(scope.split(" ").includes("offline_access") && { prompt: "consent" }),
    });
    const back = waitForReturn(server, state, options);
    open(address.href);
    const { query, answer } = await back;
    return await answer(
      exchange(options, new URL(`${redirect}${query}`), { pkceCodeVerifier: verifier, expectedState: state }),
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Also checks who answered (RFC 9207): a code of another provider is given to none. */
async function exchange(
  { client, resource }: SignIn,
  back: URL,
  checks: { readonly pkceCodeVerifier: string; readonly expectedState: string },
): Promise<TokenEndpointResponse> {
  const { issuer } = client.serverMetadata();
  try {
    return await authorizationCodeGrant(client, back, checks, { resource });
  } catch (error) {
    if (!(error instanceof AuthorizationResponseError)) throw providerError(error, issuer);
    const why = error.error_description ?? error.error;
    throw new PagewireError("token-required", `You were not signed in: ${why} (${error.error}).`, { cause: error });
  }
}

interface Return {
  readonly query: string;
  /** Shows the person how it ended, and passes that on. */
  answer<Value>(ending: Promise<Value>): Promise<Value>;
}

/** Any page can send a browser here: only the return that was asked for counts, and it counts once. */
function waitForReturn(server: Server, state: string, { signal, timeLimit = defaultTimeLimit }: LoopbackOptions) {
  return new Promise<Return>((resolve, reject) => {
    const end = (error: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      server.off("request", receive);
      if (error !== undefined) reject(error as Error);
    };
    const abort = () => end(signal.reason);
    const receive = (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      const isOurs = request.method === "GET" && url.pathname === callbackPath;
      if (!isOurs || url.searchParams.get("state") !== state) return void show(response, 404, "There is nothing here.");
      end(undefined);
      server.on("request", (_, late: ServerResponse) => void show(late, 404, "There is nothing here."));
      resolve({ query: url.search, answer: (ending) => showEnding(response, ending) });
    };
    const minutes = Math.ceil(timeLimit / 60_000);
    const late = `Nobody signed in within ${minutes} minutes. Run this again. Where no browser is, with --device.`;
    const timer = setTimeout(() => end(new PagewireError("deadline-exceeded", late)), timeLimit);
    server.on("request", receive);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}

async function showEnding<Value>(response: ServerResponse, ending: Promise<Value>): Promise<Value> {
  try {
    const value = await ending;
    await show(response, 200, "You are signed in. You can close this page and go back to the terminal.");
    return value;
  } catch (error) {
    await show(response, 400, `You are not signed in: ${messageOf(error)} You can close this page.`);
    throw error;
  }
}

function show(response: ServerResponse, status: number, text: string): Promise<void> {
  const safe = text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  return new Promise((resolve) => {
    response.on("close", resolve);
    response.end(`<!doctype html><html lang="en"><title>Pagewire</title><h1>Pagewire</h1><p>${safe}</p></html>\n`);
  });
}
