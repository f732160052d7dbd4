// The clients of MCP's chains: one that writes its own bytes, and the SDK's.
import { randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { argumentsFor } from "../pages/answers.ts";
import type { ToolAnswer } from "../pages/answers.ts";
import type { OpenCallers } from "./caller.ts";
import { checkAnswer, isToolAnswer } from "./check-answer.ts";
import { callRequest, openSession } from "./mcp-requests.ts";
import type { McpTarget, Revision } from "./mcp-requests.ts";
import { agentToken, openRawCallers } from "./prepare-callers.ts";

export interface McpCallers extends McpTarget {
  readonly inFlight: number;
  /** Whether the server speaks MCP; the floor is sent the same bytes, and passes them on. */
  readonly hasSessions: boolean;
}

/** Resolves once the tool answers through the server and the answer is the right one. */
export async function prepareMcpCallers({ inFlight, hasSessions, ...target }: McpCallers): Promise<OpenCallers> {
  const isOfSession = hasSessions && target.revision === "2025-11-25";
  const session = isOfSession ? await openSession(target.port) : randomUUID();
  await checkAnswer(callRequest(target, session, 0), target.size);
  return () => openRawCallers(inFlight, (index) => callRequest(target, session, index));
}

/** Callers that share one client of the SDK, as the parts of a program do. */
export async function prepareSdkCallers({ inFlight, ...target }: McpCallers): Promise<OpenCallers> {
  const { port, revision, size } = target;
  await prepareMcpCallers({ ...target, inFlight, hasSessions: true });
  return async () => {
    const client = await connectSdkClient(port, revision);
    const call = async () => {
      const result = await client.callTool({ name: "answer", arguments: { ...argumentsFor(size) } });
      if (result.isError) throw new Error(`A call failed: ${JSON.stringify(result).slice(0, 500)}`);
      return result as unknown as ToolAnswer;
    };
    if (!isToolAnswer(await call(), size)) throw new Error("The answer is not the tool's.");
    const caller = { call: async () => void (await call()), close: () => client.close() };
    return Array.from({ length: inFlight }, () => caller);
  };
}

/** The SDK's second client, held to one revision. */
export async function connectSdkClient(port: number, revision: Revision, options: ClientOptions = {}): Promise<Client> {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const client = new Client({ name: "pagewire-bench", version: "1.0.0" }, { ...options, versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${agentToken}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit }));
  return client;
}
