import { expect, test } from "vitest";
import { createChatTransport } from "../ai/sdks/index.ts";
import type { AiAgent } from "./index.ts";
import { prepare } from "./agent.test-helper.ts";
import { createServer, showRemote } from "./remote-server.test-helper.ts";

async function ask(agent: AiAgent, text: string): Promise<{ readonly type: string; readonly delta?: string }[]> {
  const messages = [{ id: "u", role: "user", parts: [{ type: "text", text }] }];
  const stream = await createChatTransport(agent).sendMessages({ trigger: "submit-message", messages });
  const chunks: { readonly type: string; readonly delta?: string }[] = [];
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    chunks.push(value);
  }
}

const textOf = (chunks: Awaited<ReturnType<typeof ask>>) => chunks.map(({ delta = "" }) => delta).join("");

test("useChat's transport asks the server's core through <ai-agent>, one question after another", async () => {
  const server = createServer();
  const agent = showRemote();
  for (const text of ["Hi", "And now?"]) {
    const asked = ask(agent, text);
    const request = await server.model.next();
    request.end(`To ${text}`);
    const chunks = await asked;
    expect(chunks.filter(({ type }) => type === "error")).toEqual([]);
    expect(textOf(chunks)).toBe(`To ${text}`);
  }
  expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});

test("useChat's transport asks the page's own core with the attributes of <ai-agent>", async () => {
  const { agent, model } = prepare();
  const asked = ask(agent, "Hi");
  await model.answer("Hello");
  expect(textOf(await asked)).toBe("Hello");
  expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Hello" });
});
