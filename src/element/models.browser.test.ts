import { expect, test } from "vitest";
import { show } from "./agent.test-helper.ts";
import { createServer, showRemote } from "./remote-server.test-helper.ts";

test("an element lists the models of its provider, by its own address, key and headers", async () => {
  const asked: unknown[] = [];
  const agent = show('<ai-agent provider="openai" base-url="/api/ai" api-key="sk-1" tools="page"></ai-agent>');
  agent.headers = { "X-Page": "1" };
  agent.fetch = async (url, init) => {
    asked.push([url, init?.headers]);
    return Response.json({ data: [{ id: "small" }] });
  };
  expect(await agent.models()).toEqual([{ id: "small", name: "small" }]);
  expect(asked).toEqual([["/api/ai/v1/models", { Authorization: "Bearer sk-1", "X-Page": "1" }]]);
  agent.fetch = async () => new Response("", { status: 403 });
  await expect(agent.models()).rejects.toMatchObject({ status: 403 });
  agent.provider = "other";
  await expect(agent.models()).rejects.toThrow("provider must be");
});

test("in remote mode the server says which there are, and is sent no options", async () => {
  const server = createServer();
  const agent = showRemote();
  agent.model = "small";
  const sending = agent.send();
  (await server.model.next()).end("Hi");
  await sending;
  const given: unknown[] = [];
  const [core] = server.cores;
  const answer: unknown[] = [{ id: "small", name: "Small" }, null, 7, { name: "none" }];
  Object.assign(core ?? {}, { models: async (...args: unknown[]) => (given.push(...args), answer) });
  expect(await agent.models()).toEqual([{ id: "small", name: "Small" }]);
  expect(given).toEqual([]);
});

test("a server that does not know the question is an error", async () => {
  createServer({ kind: "stock" });
  const agent = showRemote();
  await expect(agent.models()).rejects.toBeInstanceOf(Error);
});

test("where there is no server to ask, models and commands are refused, not done", async () => {
  const agent = showRemote(undefined, { remoteCoreUrl: "no-address:" });
  for (const asked of [agent.models(), agent.invoke("deleteConversation", "c1")])
    await expect(asked).rejects.toMatchObject({ code: "hub-unreachable" });
});

test("what only concerns a local core is not sent to a server", async () => {
  const server = createServer();
  const agent = showRemote();
  Object.assign(agent, { prices: true, keepModel: true, model: "m" });
  const sending = agent.send();
  (await server.model.next()).end("Hi");
  await sending;
  expect(server.cores[0]?.asked[0]).toEqual({ model: "m", stream: true });
});
