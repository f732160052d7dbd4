// A scripted model: a server of the driver's own in OpenAI's format. For `decide <tool>` it calls the tool; every other
// question it answers with the question's own words, piece by piece.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

export interface ScriptedModel {
  /** The environment variables with which a hub finds it. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** `onAsked` receives the text of each question that the hub asks the model. */
export async function startScriptedModel(onAsked: (question: string) => void): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    // A killed hub does not read the rest.
    answer(request, response, onAsked).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: { OPENAI_API_KEY: "sk-scripted", OPENAI_BASE_URL: `http://127.0.0.1:${port}` },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The answer to a question, as it is stored. */
export function answerTo(question: string): string {
  return `You said: ${question}.`;
}

async function answer(request: IncomingMessage, response: ServerResponse, onAsked: (text: string) => void) {
  const { messages } = (await json(request)) as Asked;
  const last = messages.at(-1);
  const text = typeof last?.content === "string" ? last.content : JSON.stringify(last?.content);
  const say = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const tool = last?.role === "user" ? /^decide (\S+)/.exec(text)?.[1] : undefined;
  if (last?.role === "user") onAsked(text);
  if (tool === undefined) {
    for (const word of answerTo(text).split(/(?<= )/)) {
      say({ content: word });
      await pause(10);
    }
    say({}, "stop");
  } else {
    const call = { name: tool, arguments: JSON.stringify({ tag: "", work: 0 }) };
    say({ tool_calls: [{ index: 0, id: `call-${messages.length}`, type: "function", function: call }] });
    say({}, "tool_calls");
  }
  response.end("data: [DONE]\n\n");
}
