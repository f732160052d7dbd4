// The client of the MCP SDK signs in by itself at a real authorization server.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../doors/mcp/test-support/mcp-client.test-helper.ts";
import type { Revision } from "../../doors/mcp/test-support/mcp-client.test-helper.ts";
import { signPageToken } from "../../guard/tokens.ts";
import { ownTokens, resolveTeam } from "../../options/team-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { startProvider } from "../test-support/start-provider.test-helper.ts";
import type { TestProvider, TestProviderOptions } from "../test-support/start-provider.test-helper.ts";

const scopes = "tools tools:destructive admin";
const redirect = "http://127.0.0.1:9/back";
const metadata = { client_name: "agent", redirect_uris: [redirect], token_endpoint_auth_method: "none" };
const documentUrl = "https://agent.example/client.json";

async function setUp({ ttl = 300, configuration = {}, ...more }: { ttl?: number } & TestProviderOptions = {}) {
  const resources: Record<string, { scope: string; ttl: number }> = {};
  const all = ["openid", "offline_access", ...scopes.split(" ")];
  const provider = await startProvider({ ...more, resources, configuration: { scopes: all, ...configuration } });
  const team = { secret: "s".repeat(32), providers: [{ name: "acme", issuer: provider.issuer }] };
  const hub = await startHub({ team });
  resources[`${hub.url}/mcp`] = { scope: scopes, ttl };
  const inputSchema = { type: "object" } as const;
  const tools = [
    { name: "look", inputSchema },
    { name: "wipe", inputSchema, annotations: { destructiveHint: true } },
  ];
  const token = await signPageToken({ ...ownTokens(resolveTeam(team)), subject: "acme/ada" });
  await connectPage(hub.url, { token, tools });
  return { provider, hub };
}

/** An agent that keeps its tokens in memory, and whose person agrees to all. */
function agentOf(provider: TestProvider, clientMetadataUrl?: string) {
  const seen = { asked: [] as URL[], back: undefined as URL | undefined, saved: 0 };
  let client: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  let verifier = "";
  const auth: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: { ...metadata, grant_types: ["authorization_code", "refresh_token"] },
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientInformation: () => client,
    saveClientInformation: (given) => void (client = given),
    tokens: () => tokens,
    saveTokens(given) {
      seen.saved++;
      tokens = given;
    },
    async redirectToAuthorization(url) {
      seen.asked.push(url);
      seen.back = await provider.visit(url.href);
    },
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
  };
  return { auth, seen, client: () => client };
}

type Agent = ReturnType<typeof agentOf>;

async function connect(url: string, { auth, seen }: Agent, revision: Revision) {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const open = async () => {
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), { authProvider: auth });
    const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    const failure = await client.connect(transport).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { client, transport, failure };
  };
  const first = await open();
  expect(first.failure).toBeInstanceOf(UnauthorizedError);
  await first.transport.finishAuth(seen.back?.searchParams ?? new URLSearchParams());
  const { failure, ...opened } = await open();
  expect(failure).toBeUndefined();
  return opened;
}

test.each(revisions)(
  "OA1, OA2: a client of %s that knows only the hub's address registers and signs in",
  async (revision) => {
    const { provider, hub } = await setUp();
    const agent = agentOf(provider);
    const { client } = await connect(hub.url, agent, revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["look", "wipe"]));
    expect((await client.callTool({ name: "look", arguments: {} })).isError).not.toBe(true);
    const [asked] = agent.seen.asked;
    expect(Object.fromEntries(asked?.searchParams ?? [])).toMatchObject({
      ...{ resource: `${hub.url}/mcp`, code_challenge_method: "S256", client_id: agent.client()?.client_id },
      scope: expect.stringMatching(/^tools\b/),
    });
    expect(agent.seen.asked).toHaveLength(1);
  },
);

test.each(revisions)("OA1, OA2: a client of %s signs in by its metadata document", async (revision) => {
  const fetched: string[] = [];
  const body = { ...metadata, client_id: documentUrl, grant_types: ["authorization_code", "refresh_token"] };
  const { provider, hub } = await setUp({
    hasDocuments: true,
    configuration: {
      fetch: async (url) => {
        fetched.push(url instanceof Request ? url.url : String(url));
        return Response.json({ ...body, response_types: ["code"] });
      },
    },
  });
  const agent = agentOf(provider, documentUrl);
  const { client } = await connect(hub.url, agent, revision);
  expect((await client.callTool({ name: "look", arguments: {} })).isError).not.toBe(true);
  expect([agent.client()?.client_id, new Set(fetched)]).toEqual([documentUrl, new Set([documentUrl])]);
});

test.each(revisions)(
  "OA21, OA22: a client of %s asks for the scope that a 403 names, and the call works",
  async (revision) => {
    const { provider, hub } = await setUp();
    const agent = agentOf(provider);
    const { client, transport } = await connect(hub.url, agent, revision);
    await client.listTools();
    await expect(client.callTool({ name: "wipe", arguments: {} })).rejects.toThrow();
    expect(agent.seen.asked[1]?.searchParams.get("scope")?.split(" ")).toEqual(
      expect.arrayContaining(["tools", "tools:destructive"]),
    );
    await transport.finishAuth(agent.seen.back?.searchParams ?? new URLSearchParams());
    expect((await client.callTool({ name: "wipe", arguments: {} })).isError).not.toBe(true);
  },
);
