// A hub of a team over https as a process of its own, with two companies: real identity providers, and a client at each.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProviderOptions } from "../../../src/hub/options/team-options.ts";
import type { TestBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { clientSecret, newKey, rsaKey } from "../../../src/hub/team/test-support/start-provider.test-helper.ts";
import type { TestProvider } from "../../../src/hub/team/test-support/start-provider.test-helper.ts";
import {
  optionsFor,
  registerHub,
  startIdentityProvider,
} from "../../../src/hub/team/test-support/team-hub.test-helper.ts";
import { certificate } from "../../support/certificates.ts";
import { startHub } from "../support/hub-process.ts";
import { freePort } from "../../support/free-port.ts";
import type { HubProcess } from "../support/hub-process.ts";
import type { JWK } from "jose";

export const site = "https://127.0.0.1";
export const sessionCookie = "__Host-pagewire";
/** An origin of a company's app that the hub's owner allows. */
export const appOrigin = "https://app.example.com";

export interface BesiegedTeam {
  readonly hub: HubProcess;
  readonly acme: TestProvider;
  readonly globex: TestProvider;
  /** With which acme signs its tokens. */
  readonly acmeKey: JWK;
  /** The audience of access tokens for this hub. */
  readonly resource: string;
  /** How often acme's address was asked for, such as "/jwks". */
  asked(path: string): number;
}

/** The people: ada and the admin amy at acme, eve at globex. */
export async function besiegeTeam(
  more: Partial<ProviderOptions> = {},
  { home }: { readonly home?: string } = {},
): Promise<BesiegedTeam> {
  const port = await freePort();
  const resource = `https://127.0.0.1:${port}/mcp`;
  const scope = "tools tools:destructive admin";
  const acmeKey = await newKey("ES256");
  const resources = { [resource]: { scope }, "https://other.example/mcp": { scope } };
  const acme = await startIdentityProvider({
    resources,
    configuration: { jwks: { keys: [acmeKey, await rsaKey()] } },
  });
  const globex = await startIdentityProvider({ resources });
  acme.people.set("amy", { groups: ["staff", "boss"], name: "Amy" });
  globex.people.set("eve", { groups: ["staff", "boss"], name: "Eve" });
  globex.signInAs("eve");
  const asked = new Map<string, number>();
  acme.provider.use(async ({ path }, next) => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    await next();
  });
  const folder = mkdtempSync(join(tmpdir(), "pagewire-team-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  write("client", clientSecret);
  const provider = (of: TestProvider, name: string, others: object = {}) => {
    const { clientSecret: _, ...options } = optionsFor(of, { name, title: name, adminGroups: ["boss"], ...others });
    return { ...options, clientSecretFile: "client" };
  };
  const team = write(
    "team.json",
    JSON.stringify({ providers: [provider(acme, "acme", more), provider(globex, "globex")] }),
  );
  const tls = ["--tls-cert", write("cert", certificate.cert), "--tls-key", write("key", certificate.key)];
  const usual = ["--json", "--no-demo", "--no-model", "--allow-origin", appOrigin];
  const hub = await startHub({
    ...(home !== undefined && { home }),
    port,
    https: true,
    args: [...usual, "--team", team, ...tls],
  });
  onTestFinished(() => hub.close());
  await Promise.all([acme, globex].map((each) => registerHub(each, [hub.url])));
  return { hub, acme, globex, acmeKey, resource, asked: (path) => asked.get(path) ?? 0 };
}

/** The browser goes to the provider, and would now come back to this address. */
export async function wayBack(browser: TestBrowser, hub: string, query: string): Promise<URL> {
  const { url } = await browser.go(`${hub}/sign-in?${query}`, ({ pathname }) =>
    pathname.startsWith("/sign-in/callback"),
  );
  return url;
}

export function isSignedIn(browser: TestBrowser): boolean {
  return browser.cookies.get(site)?.has(sessionCookie) === true;
}
