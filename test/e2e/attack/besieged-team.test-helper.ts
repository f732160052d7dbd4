// A hub of a team over https as a process of its own, with two companies: real identity providers, and a client at each.
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT, importJWK } from "jose";
import type { JWK, JWTHeaderParameters, JWTPayload } from "jose";
import { onTestFinished } from "vitest";
import type { ProviderOptions, TeamOptions } from "../../../src/hub/options/team-options.ts";
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
  readonly globexKey: JWK;
  /** The audience of access tokens for this hub. */
  readonly resource: string;
  /** How often acme's address was asked for, such as "/jwks". */
  asked(path: string): number;
}

/** The people: ada and the admin amy at acme, eve at globex. */
export async function besiegeTeam(
  more: Partial<ProviderOptions> = {},
  { home, team: others = {} }: { readonly home?: string; readonly team?: Partial<TeamOptions> } = {},
): Promise<BesiegedTeam> {
  const port = await freePort();
  const resource = `https://127.0.0.1:${port}/mcp`;
  const scope = "tools tools:destructive admin";
  const [acmeKey, globexKey] = [await newKey("ES256"), await newKey("ES256")];
  const resources = { [resource]: { scope }, "https://other.example/mcp": { scope } };
  const acme = await startIdentityProvider({
    resources,
    configuration: { jwks: { keys: [acmeKey, await rsaKey()] } },
  });
  const globex = await startIdentityProvider({
    resources,
    configuration: { jwks: { keys: [globexKey, await rsaKey()] } },
  });
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
  const provider = (of: TestProvider, name: string, own: object = {}) => {
    const { clientSecret: _, ...options } = optionsFor(of, { name, title: name, adminGroups: ["boss"], ...own });
    return { ...options, clientSecretFile: "client" };
  };
  const providers = [provider(acme, "acme", more), provider(globex, "globex"), ...(others.providers ?? [])];
  const team = write("team.json", JSON.stringify({ ...others, providers }));
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
  return { hub, acme, globex, acmeKey, globexKey, resource, asked: (path) => asked.get(path) ?? 0 };
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

export const now = () => Math.floor(Date.now() / 1000);

/** Makes access tokens of ada's at acme, or of what the claims say. */
export function signerOf({ acme, acmeKey, resource }: BesiegedTeam) {
  const claims = (more: object = {}) => ({
    ...{ iss: acme.issuer, aud: resource, sub: "ada", client_id: "agent", scope: "tools", groups: ["staff"] },
    ...{ jti: crypto.randomUUID(), iat: now(), exp: now() + 300, ...more },
  });
  const sign = (more: object = {}, header: Partial<JWTHeaderParameters> = {}, key = acmeKey) =>
    signWith(key, claims(more), { typ: "at+jwt", kid: acmeKey.kid ?? "", ...header });
  return { claims, sign };
}

export async function signWith(key: JWK, claims: object, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  return new SignJWT(JSON.parse(JSON.stringify(claims)) as JWTPayload)
    .setProtectedHeader({ alg: "ES256", kid: key.kid ?? "", ...header })
    .sign(await importJWK(key, "ES256"));
}

/** Access tokens with all scopes: of ada and the admin amy at acme, of the admin eve at globex. */
export async function tokensOf(team: BesiegedTeam) {
  const { sign } = signerOf(team);
  const [scope, groups] = ["tools tools:destructive admin", ["staff", "boss"]];
  const own = { iss: team.globex.issuer, sub: "eve", scope, groups };
  return {
    ada: await sign({ scope }),
    amy: await sign({ sub: "amy", scope, groups }),
    eve: await sign(own, { kid: team.globexKey.kid ?? "" }, team.globexKey),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a hub, such as "GET /api/app", over connections that are kept, from this address of the machine. */
export function askFrom({ hub }: Pick<BesiegedTeam, "hub">, localAddress = "127.0.0.1") {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca: certificate.cert, localAddress });
  onTestFinished(() => agent.destroy());
  return (asked: string, token?: string, { body, headers = {} }: AskOptions = {}): Promise<Answer> => {
    const [method = "", path = ""] = asked.split(" ");
    const sent = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const { port } = hub;
      const usual = {
        // A client sends no length of its own with DELETE.
        ...(sent !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(sent) }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      };
      // The path goes as it is: a URL would take its dots away.
      const options = { host: "127.0.0.1", port, path, method, agent, headers: { ...usual, ...headers } };
      const asking = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      asking.on("error", (error) => reject(new Error(`${asked}: ${error.message}`)));
      asking.end(sent);
    });
  };
}
