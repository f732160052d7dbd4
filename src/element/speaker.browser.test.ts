import { expect, test } from "vitest";
import { createModel, show } from "./agent.test-helper.ts";
import type { AiTool } from "./index.ts";
import { createServer, showRemote } from "./remote-server.test-helper.ts";

const app = "https://shop.example";

test("the next prompt's author is the element's from, read when it is sent", async () => {
  const model = createModel();
  const agent = show(`<ai-agent provider="openai" model="m" base-url="/api/ai"></ai-agent>`);
  Object.assign(agent, { fetch: model.fetch, prompt: "Show my orders", from: app });
  const first = agent.send();
  agent.from = undefined;
  const request = await model.next();
  expect(request.body.messages[0].content).toMatch(/^The app "https:\/\/shop\.example" speaks.*\n"Show my orders"$/);
  request.end("Here.");
  await first;
  agent.prompt = "Thanks";
  const second = agent.send();
  (await model.next()).end("Welcome.");
  await second;
  expect(agent.messages.map(({ role, from }) => [role, from])).toEqual([
    ["user", app],
    ["assistant", undefined],
    ["user", undefined],
    ["assistant", undefined],
  ]);
});

test("in remote mode the server is told, and every client of the conversation sees it", async () => {
  const server = createServer();
  const agent = showRemote();
  agent.from = app;
  const answer = agent.send();
  await server.model.answer("Here.");
  expect(await answer).toBe("Here.");
  expect(server.cores[0]?.asked[0]).toMatchObject({ from: app });
  expect(agent.messages[0]).toMatchObject({ role: "user", content: "Hello", from: app });
});

test("a server is told which tools are asked about at each call", async () => {
  const server = createServer();
  const agent = showRemote();
  const tool: AiTool = { name: "pay", description: "Pays.", parameters: {}, handler: () => "paid" };
  agent.tools = [
    { ...tool, needsApproval: "each-call" },
    { ...tool, name: "look", title: "Look", origin: app, needsApproval: () => "each-call" },
  ];
  const answer = agent.send();
  await server.model.answer("Done.");
  await answer;
  expect(server.cores[0]?.asked[0]?.tools).toEqual([
    { name: "pay", description: "Pays.", parameters: {}, needsApproval: "each-call" },
    { name: "look", title: "Look", origin: app, description: "Pays.", parameters: {}, needsApproval: true },
  ]);
});
