// A real authorization server, the npm package oidc-provider, on loopback: people by name, who sign in without a password.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { exportJWK, generateKeyPair } from "jose";
import type { JWK } from "jose";
import { onTestFinished } from "vitest";

export interface TestPerson {
  readonly groups?: readonly string[];
  readonly name?: string;
  readonly email?: string;
  /** Claims of other names. */
  readonly [claim: string]: unknown;
}

export interface TestProvider {
  readonly issuer: string;
  readonly provider: Provider;
  /** By their subjects; changes hold for the next tokens. */
  readonly people: Map<string, TestPerson>;
  /** Registers a client whose redirects were not known at the start, under this id and with `clientSecret`. */
  register(id: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /** Signs the next visitor in as this person. */
  signInAs(subject: string): void;
  /** Follows redirects with cookies, as a browser does, through the sign-in and consent, up to another origin's address. */
  visit(address: string): Promise<URL>;
  close(): Promise<void>;
}

export interface TestProviderOptions {
  /** The resources that access tokens can be for, with their scopes; "opaque" tokens are for introspection. */
  readonly resources?: Readonly<
    Record<string, { readonly scope: string; readonly format?: "jwt" | "opaque"; readonly ttl?: number }>
  >;
  readonly clients?: Configuration["clients"];
  readonly configuration?: Configuration;
  /** Whether clients may be known by their metadata documents, which `configuration.fetch` fetches. */
  readonly hasDocuments?: boolean;
  readonly port?: number;
  /** The features that this provider lacks. */
  readonly lacks?: readonly ("registration" | "deviceFlow")[];
}

/** The secret of clients that register themselves. */
export const clientSecret = "the-secret-of-all-clients-of-this-test";

/** Starts a provider; it is closed after the test. */
export async function startProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  const people = new Map<string, TestPerson>([
    ["ada", { groups: ["staff"], name: "Ada Lovelace", email: "ada@acme.example" }],
  ]);
  let subject = "ada";
  let nextId: string | undefined;
  const server = createServer();
  await once(server.listen(options.port ?? 0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    jwks: options.configuration?.jwks ?? { keys: [await newKey("ES256"), await rsaKey()] },
    ...configurationOf(options, { people, nextId: () => nextId ?? crypto.randomUUID() }),
  });
  provider.on("server_error", (_: unknown, error: Error) => console.error("The provider failed:", error));
  server.on("request", (request, response) => {
    // Looked up each time: a test may have added middleware.
    if (!request.url?.startsWith("/interaction/")) return void provider.callback()(request, response);
    void finishInteraction(provider, { request, response, subject }).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    ...{ issuer, provider, people, close },
    async register(id, metadata) {
      nextId = id;
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${issuer}/reg`, { method: "POST", headers, body: JSON.stringify(metadata) });
      nextId = undefined;
      if (answer.status !== 201) throw new Error(`The client is refused: ${await answer.text()}`);
    },
    signInAs: (name) => void (subject = name),
    visit: (address) => visit(address, issuer),
  };
}

/** RSA keys take long to make: the providers of a worker take turns with two, so that two of one test have different ones. */
const rsaKeys: Promise<JWK>[] = [];

export async function rsaKey(): Promise<JWK> {
  const key = (rsaKeys.length < 2 ? undefined : rsaKeys.shift()) ?? newKey("RS256");
  rsaKeys.push(key);
  return key;
}

/** A private key for signing. */
export async function newKey(alg: "ES256" | "RS256"): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: "sig", kid: crypto.randomUUID() };
}

interface Known {
  readonly people: ReadonlyMap<string, TestPerson>;
  readonly nextId: () => string;
}

function configurationOf(options: TestProviderOptions, { people, nextId }: Known): Configuration {
  const { resources = {}, clients = [], hasDocuments = false, lacks = [] } = options;
  const claims = ["groups", "name", "email", "org_id"];
  return {
    clients,
    claims: { openid: ["sub", ...claims] },
    scopes: ["openid", "offline_access", ...new Set(Object.values(resources).flatMap(({ scope }) => scope.split(" ")))],
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
    extraTokenClaims: (_, token) => ({ ...("accountId" in token ? people.get(String(token.accountId)) : {}) }),
    interactions: { url: (_: KoaContextWithOIDC, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed("refresh_token"),
    // A client that registered for few scopes may ask for more later.
    extraClientMetadata: {
      properties: ["x"],
      validator: (...[, , , metadata]) => void Reflect.deleteProperty(metadata, "scope"),
    },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: !lacks.includes("registration"), idFactory: nextId, secretFactory: () => clientSecret },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      deviceFlow: { enabled: !lacks.includes("deviceFlow") },
      ...(hasDocuments && { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } }),
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo(_, indicator) {
          const { scope, format = "jwt", ttl = 300 } = resources[indicator] ?? {};
          if (scope === undefined)
            throw Object.assign(new Error("unknown resource"), {
              error: "invalid_target",
              statusCode: 400,
              expose: true,
            });
          return {
            scope,
            accessTokenFormat: format,
            accessTokenTTL: ttl,
            audience: indicator,
            ...(format === "jwt" && { jwt: { sign: { alg: "ES256" } } }),
          };
        },
      },
    },
    ...options.configuration,
  };
}

interface Interaction {
  readonly request: import("node:http").IncomingMessage;
  readonly response: import("node:http").ServerResponse;
  readonly subject: string;
}

/** Signs the person in, and grants all that the client asks for. */
async function finishInteraction(provider: Provider, { request, response, subject }: Interaction): Promise<void> {
  const { prompt, params, grantId, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    await provider.interactionFinished(request, response, { login: { accountId: subject } });
    return;
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: session?.accountId, clientId: String(params["client_id"]) });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details as {
    readonly missingOIDCScope?: readonly string[];
    readonly missingOIDCClaims?: string[];
    readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(" "));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, names] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, names.join(" "));
  const saved = await grant.save();
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: saved } },
    { mergeWithLastSubmission: true },
  );
}

async function visit(address: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  for (let hops = 0; hops < 20; hops++) {
    if (next.origin !== issuer) return next;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { redirect: "manual", headers: { Cookie: cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const to = response.headers.get("location");
    if (to === null)
      throw new Error(`${next.href} answers ${response.status}: ${(await response.text()).slice(0, 300)}`);
    next = new URL(to, next);
  }
  throw new Error(`${address} redirects without end.`);
}
