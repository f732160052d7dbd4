// The client of the MCP SDK signs in by itself at a real authorization server.
import { expect, test } from "vitest";
import { revisions } from "../../doors/mcp/test-support/mcp-client.test-helper.ts";
import { comeBack, connectAgent, createAgent, metadata, startAgentHub } from "../test-support/sdk-agent.test-helper.ts";

const documentUrl = "https://agent.example/client.json";

test.each(revisions)(
  "OA1, OA2: a client of %s that knows only the hub's address registers and signs in",
  async (revision) => {
    const { provider, hub } = await startAgentHub();
    const agent = createAgent(provider);
    const { client } = await connectAgent(hub.url, agent, revision);
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
  const { provider, hub } = await startAgentHub({
    hasDocuments: true,
    configuration: {
      fetch: async (url) => {
        fetched.push(url instanceof Request ? url.url : String(url));
        return Response.json({ ...body, response_types: ["code"] });
      },
    },
  });
  const agent = createAgent(provider, { documentUrl });
  const { client } = await connectAgent(hub.url, agent, revision);
  expect((await client.callTool({ name: "look", arguments: {} })).isError).not.toBe(true);
  expect([agent.client()?.client_id, new Set(fetched)]).toEqual([documentUrl, new Set([documentUrl])]);
});

test.each(revisions)(
  "OA21, OA22: a client of %s asks for the scope that a 403 names, and the call works",
  async (revision) => {
    const { provider, hub } = await startAgentHub();
    const agent = createAgent(provider);
    const { client, transport } = await connectAgent(hub.url, agent, revision);
    await client.listTools();
    await expect(client.callTool({ name: "wipe", arguments: {} })).rejects.toThrow();
    expect(agent.seen.asked[1]?.searchParams.get("scope")?.split(" ")).toEqual(
      expect.arrayContaining(["tools", "tools:destructive"]),
    );
    await comeBack({ transport }, agent);
    expect((await client.callTool({ name: "wipe", arguments: {} })).isError).not.toBe(true);
  },
);

test.each(revisions)(
  "OA1: a client of %s that is pointed at one tab's endpoint signs in for the hub",
  async (revision) => {
    const { provider, hub, page } = await startAgentHub();
    const agent = createAgent(provider, { path: `/mcp/tabs/${page.tabId}` });
    const { client } = await connectAgent(hub.url, agent, revision);
    expect((await client.callTool({ name: "look", arguments: {} })).isError).not.toBe(true);
    expect(agent.seen.asked[0]?.searchParams.get("resource")).toBe(`${hub.url}/mcp`);
  },
);
