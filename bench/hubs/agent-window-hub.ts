// Pagewire's hub as it is published. Its agent's calls are made by the handler of the tool that its model has; the model
// itself only says that it is ready.
import { createHub } from "pagewire/hub";
import type { AiOptions } from "pagewire/hub";
import type { AiTool, IAiProvider } from "pagewire/ai";
import type { CallingRole, Parameters } from "../harness/role.ts";
import { argumentsFor } from "../pages/answers.ts";
import { benchLimits } from "./bench-limits.ts";
import { checkedCaller } from "./checked-caller.ts";

const name = "parent-window_answer";

export async function startAgentWindowHub({
  size = "200 B",
  allowedOrigins = [],
  agentToken = "",
}: Parameters): Promise<CallingRole> {
  let found: (tool: AiTool) => void;
  const tool = new Promise<AiTool>((resolve) => (found = resolve));
  const ai = listeningModel((tools) => {
    const offered = tools.find((one) => one.name === name);
    if (offered) found(offered);
  });
  const hub = await createHub({
    port: 0,
    agentToken: () => agentToken,
    allowedOrigins: () => allowedOrigins,
    ai,
    limits: benchLimits,
  });

  async function call(): Promise<string> {
    const { handler } = await tool;
    return (await handler?.(argumentsFor(size), {
      callId: "call",
      name,
      signal: new AbortController().signal,
    })) as string;
  }

  const code = await signInCode(hub.url, agentToken);
  return { port: hub.port, window: `${hub.url}/#code=${code}`, caller: checkedCaller(call, size) };
}

function listeningModel(heard: (tools: readonly AiTool[]) => void): AiOptions {
  const answer = { content: "I am ready.", finishReason: "stop" } as const;
  const provider: IAiProvider = {
    buildRequest(_, { tools }) {
      if (Array.isArray(tools)) heard(tools as readonly AiTool[]);
      return { url: "http://model.test/", headers: {}, body: "" };
    },
    parseResponse: () => answer,
    parseStreamChunk: () => null,
  };
  return { provider, model: "bench", fetch: () => Promise.resolve(Response.json(answer)) };
}

async function signInCode(hub: string, agentToken: string): Promise<string> {
  const headers = { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" };
  const response = await fetch(`${hub}/api/codes`, { method: "POST", headers, body: "{}" });
  return ((await response.json()) as { readonly code: string }).code;
}
