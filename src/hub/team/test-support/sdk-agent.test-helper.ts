// An agent that uses the MCP SDK's client and signs in by itself, and a hub of a team with a real authorization server.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { AdapterFactory, AdapterPayload } from "oidc-provider";
import { expect, onTestFinished } from "vitest";
import { connectMcpPage } from "../../doors/mcp/test-support/mcp-page.test-helper.ts";
import type { McpPage, PageCall } from "../../doors/mcp/test-support/mcp-page.test-helper.ts";
import type { Revision } from "../../doors/mcp/test-support/mcp-client.test-helper.ts";
import { signPageToken } from "../../guard/tokens.ts";
import { ownTokens, resolveTeam } from "../../options/team-options.ts";
import type { ProviderOptions } from "../../options/team-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { startProvider } from "./start-provider.test-helper.ts";
import type { TestProvider, TestProviderOptions } from "./start-provider.test-helper.ts";

const scopes = "tools tools:destructive admin";
export const redirect = "http://127.0.0.1:9/back";
export const metadata = { client_name: "agent", redirect_uris: [redirect], token_endpoint_auth_method: "none" };
/** Another resource of the same provider. */
export const elsewhere = "https://other.example/mcp";

export interface AgentHubOptions extends TestProviderOptions {
  /** How long access tokens are good, in seconds. */
  readonly ttl?: number;
  readonly format?: "jwt" | "opaque";
  /** The hub's side of the provider. */
  readonly side?: Partial<ProviderOptions>;
  /** The page's handling of a call; by default it answers at once. */
  readonly handle?: (call: PageCall) => void;
}

export interface AgentHub {
  readonly hub: TestHub;
  readonly provider: TestProvider;
  readonly page: McpPage;
  /** Starts the provider again, with other keys and the same memory. */
  restartProvider(): Promise<void>;
}

export async function startAgentHub(options: AgentHubOptions = {}): Promise<AgentHub> {
  const { ttl = 300, format = "jwt", side = {}, configuration = {}, handle = sayDone, ...more } = options;
  const resources: Record<string, { scope: string; ttl: number; format: "jwt" | "opaque" }> = {};
  const all = ["openid", "offline_access", ...scopes.split(" ")];
  const adapter = createMemory();
  const start = (port?: number) =>
    startProvider({
      ...{ ...more, resources, configuration: { adapter, scopes: all, ...configuration } },
      ...(port !== undefined && { port }),
    });
  const provider = await start();
  const team = { secret: "s".repeat(32), providers: [{ name: "acme", issuer: provider.issuer, ...side }] };
  const hub = await startHub({ team });
  for (const resource of [`${hub.url}/mcp`, elsewhere]) resources[resource] = { scope: scopes, ttl, format };
  const inputSchema = { type: "object" } as const;
  const tools = [
    { name: "look", inputSchema },
    { name: "wipe", inputSchema, annotations: { destructiveHint: true } },
  ];
  const token = await signPageToken({ ...ownTokens(resolveTeam(team)), subject: "acme/ada" });
  const page = await connectMcpPage(hub, { token, offer: { tools }, handle });
  async function restartProvider() {
    await provider.close();
    await start(Number(new URL(provider.issuer).port));
  }
  return { provider, hub, page, restartProvider };
}

/** The provider's memory, which outlives a restart. */
function createMemory(): AdapterFactory {
  const all = new Map<string, AdapterPayload>();
  const findBy = async (field: "uid" | "userCode", value: string) =>
    [...all.values()].find((payload) => payload[field] === value);
  return (kind) => ({
    upsert: async (id, payload) => void all.set(`${kind} ${id}`, payload),
    find: async (id) => all.get(`${kind} ${id}`),
    findByUid: (uid) => findBy("uid", uid),
    findByUserCode: (code) => findBy("userCode", code),
    consume: async (id) => void Object.assign(all.get(`${kind} ${id}`) ?? {}, { consumed: true }),
    destroy: async (id) => void all.delete(`${kind} ${id}`),
    async revokeByGrantId(grantId) {
      for (const [key, payload] of all) if (payload.grantId === grantId) all.delete(key);
    },
  });
}

function sayDone(call: PageCall): void {
  call.say("done");
}

export interface AgentOptions {
  /** The address of its metadata document. */
  readonly documentUrl?: string;
  /** The resource that it asks tokens for, in place of the hub. */
  readonly resource?: string;
  /** The path of the endpoint that it was pointed at. */
  readonly path?: string;
}

/** An agent that keeps its tokens in memory, and whose person agrees to all. */
export function createAgent(provider: TestProvider, { documentUrl, resource, path = "/mcp" }: AgentOptions = {}) {
  const seen = { asked: [] as URL[], back: undefined as URL | undefined, saved: 0, refused: [] as Response[] };
  let client: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  let verifier = "";
  const auth: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: { ...metadata, grant_types: ["authorization_code", "refresh_token"] },
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    ...(resource !== undefined && { validateResourceURL: async () => new URL(resource) }),
    clientInformation: () => client,
    saveClientInformation: (given) => void (client = given),
    tokens: () => tokens,
    saveTokens(given) {
      seen.saved++;
      tokens = given;
    },
    invalidateCredentials(what) {
      if (what === "tokens") tokens = undefined;
    },
    async redirectToAuthorization(url) {
      seen.asked.push(url);
      seen.back = await provider.visit(url.href);
    },
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
  };
  return { path, auth, seen, client: () => client, tokens: () => tokens };
}

export type Agent = ReturnType<typeof createAgent>;

export interface Opened {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** Why it could not connect. */
  readonly failure: unknown;
}

/** Connects, or fails to. */
export async function openClient(url: string, { path, auth, seen }: Agent, revision: Revision): Promise<Opened> {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (!answer.ok && answer.url.startsWith(url)) seen.refused.push(answer.clone());
    return answer;
  };
  const transport = new StreamableHTTPClientTransport(new URL(path, url), { authProvider: auth, fetch: watched });
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const failure = await client.connect(transport).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { client, transport, failure };
}

/** Its person comes back from the provider. */
export function comeBack({ transport }: Pick<Opened, "transport">, { seen }: Agent): Promise<void> {
  return transport.finishAuth(seen.back?.searchParams ?? new URLSearchParams());
}

/** Connects after a sign-in. */
export async function connectAgent(url: string, agent: Agent, revision: Revision): Promise<Opened> {
  const first = await openClient(url, agent, revision);
  expect(first.failure).toBeInstanceOf(UnauthorizedError);
  await comeBack(first, agent);
  const opened = await openClient(url, agent, revision);
  expect(opened.failure).toBeUndefined();
  return opened;
}
