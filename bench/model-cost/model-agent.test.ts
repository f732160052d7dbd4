import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { createModelAgent } from "./model-agent.ts";

test("a call costs the tokens of its name and arguments and of the texts of its result", async () => {
  const agent = await connect();
  const cost = await agent.costOf(async () => {
    await agent.call("greet", {});
    await agent.call("greet", {});
  });
  const written = countTokens("greet") + countTokens("{}");
  expect(cost).toMatchObject({ calls: 2, read: 2 * countTokens("Good morning.\nGood night."), written: 2 * written });
  expect(await agent.costOf(async () => {})).toMatchObject({ calls: 0, read: 0, written: 0 });
  await agent.close();
});

test("a list costs what a model is given of it, and the server's instructions come beside it; the wire carries more", async () => {
  const agent = await connect();
  expect(agent.instructionTokens).toBe(countTokens("Be polite."));
  expect(await agent.wireTokens()).toBeGreaterThan(await agent.listTokens());
  await agent.close();
});

test("a call that fails ends the task", async () => {
  const agent = await connect();
  await expect(agent.call("refuse", {})).rejects.toThrow("model could not call refuse: Not today.");
  await agent.close();
});

async function connect() {
  const server = new McpServer({ name: "test", version: "1" }, { instructions: "Be polite." });
  const text = (words: string) => ({ type: "text" as const, text: words });
  const annotations = { readOnlyHint: true };
  server.registerTool("greet", { description: "Greets.", annotations }, () => ({
    content: [text("Good morning."), text("Good night.")],
  }));
  server.registerTool("refuse", { description: "Refuses." }, () => ({ content: [text("Not today.")], isError: true }));
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(ofServer), client.connect(ofClient)]);
  return createModelAgent("model", client);
}
