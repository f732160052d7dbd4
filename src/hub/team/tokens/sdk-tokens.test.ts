// The client of the MCP SDK when its token expires, is revoked, is for another resource, or was signed by a new key.
import { UnauthorizedError } from "@modelcontextprotocol/client";
import { afterEach, expect, test, vi } from "vitest";
import { toolOf } from "../../doors/mcp/test-support/mcp-page.test-helper.ts";
import { revisions } from "../../doors/mcp/test-support/mcp-client.test-helper.ts";
import {
  comeBack,
  connectAgent,
  createAgent,
  elsewhere,
  openClient,
  redirect,
  startAgentHub,
} from "../test-support/sdk-agent.test-helper.ts";
import type { Agent, AgentHub, Opened } from "../test-support/sdk-agent.test-helper.ts";
import { clientSecret } from "../test-support/start-provider.test-helper.ts";

afterEach(() => void vi.useRealTimers());

const look = { name: "look", arguments: {} };

/** Time passes for the hub and the provider, and the hub looks through all that it has. */
function pass({ hub }: AgentHub, milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
  hub.allow("https://another.example");
}

/** Has the provider take back an agent's sign-in, as a person does there. */
async function revoke({ provider }: AgentHub, agent: Agent): Promise<void> {
  const token = agent.tokens()?.refresh_token ?? "";
  const body = new URLSearchParams({ token, client_id: agent.client()?.client_id ?? "" });
  const { status } = await fetch(`${provider.issuer}/token/revocation`, { method: "POST", body });
  expect(status).toBe(200);
}

async function expectDone({ client }: Pick<Opened, "client">): Promise<void> {
  expect((await client.callTool(look)).content).toMatchObject([{ text: "done" }]);
}

test.each(revisions)(
  "M37: a client of %s refreshes its token without its person, and goes on in the same session",
  async (revision) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await startAgentHub({ ttl: 60 });
    const agent = createAgent(world.provider);
    const opened = await connectAgent(world.hub.url, agent, revision);
    await expectDone(opened);
    const { sessionId } = opened.transport;
    for (const saved of [2, 3]) {
      pass(world, 70_000);
      await expectDone(opened);
      expect([agent.seen.saved, opened.transport.sessionId]).toEqual([saved, sessionId]);
    }
    expect(agent.seen.asked).toHaveLength(1);
    expect(new Set(agent.seen.refused.map(({ status }) => status))).toEqual(new Set([401]));
  },
);

test.each(revisions)(
  "M37: a long call of %s that outlives its token reports progress, and ends once with its result",
  async (revision) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await startAgentHub({ ttl: 60, handle: () => {} });
    const agent = createAgent(world.provider);
    const { client } = await connectAgent(world.hub.url, agent, revision);
    const heard: number[] = [];
    const running = client.callTool(look, { onprogress: ({ progress }) => void heard.push(progress) });
    const call = await world.page.nextCall();
    call.progress(1);
    await expect.poll(() => heard).toEqual([1]);
    pass(world, 70_000);
    call.progress(2);
    await expect.poll(() => heard).toEqual([1, 2]);
    call.say("done");
    expect((await running).content).toMatchObject([{ text: "done" }]);
    const next = client.callTool(look);
    (await world.page.nextCall()).say("done");
    await next;
    expect([world.page.calls.length, agent.seen.asked.length]).toEqual([2, 1]);
  },
);

test("M37: a session's stream of notifications ends with its token, and its client opens it again with the next", async () => {
  const world = await startAgentHub({ ttl: 3 });
  const agent = createAgent(world.provider);
  const { client, transport } = await connectAgent(world.hub.url, agent, "2025-11-25");
  const { sessionId } = transport;
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  await expect.poll(() => agent.seen.saved, { timeout: 20_000 }).toBeGreaterThan(1);
  let count = 0;
  await expect
    .poll(
      async () => {
        await world.page.offer({ tools: [toolOf(`another-${count++}`)] });
        return changes;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  expect([transport.sessionId, agent.seen.asked.length]).toEqual([sessionId, 1]);
});

test("M37: a subscription of 2026-07-28 ends with its token, and its client subscribes again without its person", async () => {
  const world = await startAgentHub({ ttl: 3 });
  const agent = createAgent(world.provider);
  const { client } = await connectAgent(world.hub.url, agent, "2026-07-28");
  const first = await client.listen({ toolsListChanged: true });
  expect(await first.closed).toBe("remote");
  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler("notifications/tools/list_changed", () => resolve()),
  );
  await client.listen({ toolsListChanged: true });
  await world.page.offer({ tools: [toolOf("another")] });
  await changed;
  expect(agent.seen.asked).toHaveLength(1);
});

test.each(revisions)(
  "OA31: a client of %s whose opaque token was revoked is refused within 30 seconds, and signs in anew",
  async (revision) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const side = { introspection: true, clientId: "hub", clientSecret };
    const world = await startAgentHub({ ttl: 3600, format: "opaque", side });
    await world.provider.register("hub", { redirect_uris: [redirect] });
    const agent = createAgent(world.provider);
    const opened = await connectAgent(world.hub.url, agent, revision);
    await expectDone(opened);
    await revoke(world, agent);
    pass(world, 30_000);
    await expect(opened.client.callTool(look)).rejects.toThrow(UnauthorizedError);
    expect(agent.seen.asked).toHaveLength(2);
    await comeBack(opened, agent);
    await expectDone(opened);
  },
);

test.each(revisions)(
  "OA11: a token for another resource is 401 for a client of %s, with where to get one",
  async (revision) => {
    const { hub, provider, page } = await startAgentHub();
    const agent = createAgent(provider, { resource: elsewhere });
    await comeBack(await openClient(hub.url, agent, revision), agent);
    const { failure } = await openClient(hub.url, agent, revision);
    expect(failure).toBeInstanceOf(Error);
    const challenges = agent.seen.refused.map(({ status, headers }) => [status, headers.get("www-authenticate")]);
    const at = `resource_metadata="${hub.url}/.well-known/oauth-protected-resource/mcp"`;
    expect(challenges[0]).toEqual([401, `Bearer scope="tools", ${at}`]);
    expect(challenges.at(-1)).toEqual([
      401,
      `Bearer error="invalid_token", error_description="The access token is not valid here", scope="tools", ${at}`,
    ]);
    expect(page.calls).toEqual([]);
  },
);

test.each(revisions)(
  "OA13: a client of %s goes on with a token that the provider has signed with a new key",
  async (revision) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await startAgentHub({ ttl: 60 });
    const agent = createAgent(world.provider);
    const opened = await connectAgent(world.hub.url, agent, revision);
    await expectDone(opened);
    await world.restartProvider();
    pass(world, 70_000);
    await expectDone(opened);
    expect([agent.seen.saved, agent.seen.asked.length]).toEqual([2, 1]);
  },
);
