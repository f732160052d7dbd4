// A hub of a team over https, with a real identity provider at which it has a client of its own.
import { certificate } from "../../../../test/support/certificates.ts";
import type { HubOptions } from "../../options/options.ts";
import type { ProviderOptions, TeamOptions } from "../../options/team-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { makeKey } from "../../test-support/page-key.test-helper.ts";
import { openBrowser } from "./browser.test-helper.ts";
import type { TestBrowser } from "./browser.test-helper.ts";
import { clientSecret, startProvider } from "./start-provider.test-helper.ts";
import type { TestProvider, TestProviderOptions } from "./start-provider.test-helper.ts";

export interface TeamHub extends TestHub {
  /** Of the first provider. */
  readonly provider: TestProvider;
}

const teamSecret = "the secret of the team of these tests";
const clientId = "hub";

/** What `oidc-provider` sends out itself, such as logout tokens, trusts the hub's certificate. */
const fetchTrusting: NonNullable<TestProviderOptions["configuration"]>["fetch"] = async (url, options = {}) => {
  const { method = "GET", body, headers } = options;
  const sent = { method, headers: Object.fromEntries(new Headers(headers)), body: await new Response(body).text() };
  const { status, text } = await openBrowser().send(url instanceof Request ? url.url : url, sent);
  return new Response(text === "" ? null : text, { status });
};

/** A provider that people of a hub can sign in with once `registerHub` was called. */
export function startIdentityProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  return startProvider({ ...options, configuration: { fetch: fetchTrusting, ...options.configuration } });
}

export function optionsFor({ issuer }: TestProvider, more: Partial<ProviderOptions> = {}): ProviderOptions {
  return { name: "acme", title: "Acme & Co", issuer, clientId, clientSecret, ...more };
}

/** The hub's own client, with all addresses of the hub that a provider may use. */
export function registerHub(
  provider: TestProvider,
  urls: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  return provider.register(clientId, {
    redirect_uris: urls.map((url) => `${url}/sign-in/callback`),
    post_logout_redirect_uris: urls.map((url) => `${url}/`),
    backchannel_logout_uri: `${urls[0]}/sign-in/back-channel`,
    backchannel_logout_session_required: true,
    grant_types: ["authorization_code", "refresh_token"],
    ...more,
  });
}

export function teamOf(providers: readonly ProviderOptions[]): TeamOptions {
  return { secret: teamSecret, providers };
}

/** Starts a hub over https with these providers. */
export function startHubOf(providers: readonly ProviderOptions[], options: Partial<HubOptions> = {}): Promise<TestHub> {
  return startHub({ tls: () => certificate, team: teamOf(providers), ...options });
}

/** Starts a hub over https, and its provider. */
export async function startTeamHub(
  more: Partial<ProviderOptions> = {},
  options: Partial<HubOptions> = {},
): Promise<TeamHub> {
  const provider = await startIdentityProvider();
  const hub = await startHubOf([optionsFor(provider, more)], options);
  await registerHub(provider, [hub.url]);
  return { ...hub, provider };
}

/** A page of the hub whose person signed in. */
export interface SignedInPage {
  readonly token: string;
  /** A fresh text to use the token with. */
  bearer(): Promise<string>;
}

/** Signs the browser's person in, as the provider's present visitor. */
export async function signInWith(browser: TestBrowser, hub: string, query = "provider=acme"): Promise<void> {
  const seen = await browser.go(`${hub}/sign-in?${query}`, ({ href }) => href === `${hub}/`);
  if (seen.url.href !== `${hub}/`) throw new Error(`${seen.url.href} answers ${seen.status}: ${seen.text}`);
}

/** The browser goes to the provider and would now come back to this address. */
export async function callbackOf(browser: TestBrowser, hub: string, query = "provider=acme"): Promise<URL> {
  const { url } = await browser.go(`${hub}/sign-in?${query}`, ({ pathname }) => pathname === "/sign-in/callback");
  return url;
}

/** Opens a page in a browser whose person is signed in. */
export async function openPage(browser: TestBrowser, hub: string): Promise<SignedInPage> {
  const { key, bearer } = await makeKey({ url: hub });
  const { status, body } = await browser.ask(hub, "POST /api/session", { body: { key } });
  if (status !== 200) throw new Error(`No session: ${status} ${JSON.stringify(body)}`);
  const { token } = body as { readonly token: string };
  return {
    token,
    async bearer() {
      const asked = await browser.ask(hub, "POST /api/challenge");
      return bearer(token, { challenge: String((asked.body as { readonly challenge: string }).challenge) });
    },
  };
}
