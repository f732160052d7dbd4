import type { IncomingMessage } from "node:http";
import { version } from "../../hub/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import { isJsonObject, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { messagesOf } from "../mcp/reply.ts";
import { mcpAddress } from "../reach-hub/find-hub.ts";
import { sendOverHttp } from "../reach-hub/send-over-http.ts";
import { problem, well } from "./finding.ts";
import type { Finding } from "./finding.ts";

const maxPages = 100;
const protocol = "2026-07-28";
const answerTimeout = 5000;
const maxDepth = 200;

interface ExaminedMcp {
  readonly findings: readonly Finding[];
  /** The names of its tools; none where it does not answer. */
  readonly tools: readonly string[];
}

/** Whether the hub's MCP endpoint accepts the token, and which tools it lists. */
export async function examineMcp({ url: hub, token }: ProvenHub): Promise<ExaminedMcp> {
  const url = mcpAddress(hub, undefined).href;
  try {
    await askMcp({ url, token, method: "server/discover" });
    const tools = await listTools(url, token);
    const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
    return { findings: [well("mcp", `The MCP endpoint ${url} takes the token and lists ${count}.`)], tools };
  } catch (error) {
    const status = error instanceof McpAnswerError ? error.status : 0;
    const isRefused = status === 401 || status === 403;
    const failed = problem("mcp", `The MCP endpoint ${url} does not answer as it should: ${messageOf(error)}.`, {
      advice: [
        isRefused ? "Give the hub's own token in PAGEWIRE_TOKEN." : "Restart the hub after an update: npx pagewire",
      ],
      exitCode: isRefused ? 4 : 1,
    });
    return { findings: [failed], tools: [] };
  }
}

async function listTools(url: string, token: string): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await askMcp({ url, token, method: "tools/list", params });
    if (!Array.isArray(tools)) throw new McpAnswerError("its list of tools is none", 200);
    for (const tool of tools) if (isJsonObject(tool) && typeof tool["name"] === "string") names.push(tool["name"]);
    if (typeof nextCursor !== "string") return names;
    cursor = nextCursor;
  }
  throw new McpAnswerError("its list of tools does not end", 200);
}

/** The endpoint gave no result. */
class McpAnswerError extends Error {
  override readonly name = "McpAnswerError";
  /** The status of the response; zero if there was none. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

interface McpQuestion {
  readonly url: string;
  readonly token: string;
  readonly method: string;
  readonly params?: JsonObject;
}

/** Sends one request without a session, and resolves with its result; rejects with a McpAnswerError otherwise. */
async function askMcp(question: McpQuestion): Promise<JsonObject> {
  const response = await post(question);
  const { statusCode = 0 } = response;
  const { result, error } = (await answerIn(response)) ?? {};
  if (isJsonObject(result)) return result;
  const why = isJsonObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
  throw new McpAnswerError(`it answered with ${statusCode}${why}`, statusCode);
}

function post({ url, token, method, params = {} }: McpQuestion): Promise<IncomingMessage> {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": protocol,
        "io.modelcontextprotocol/clientInfo": { name: "pagewire-doctor", version },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": protocol,
    "mcp-method": method,
  };
  return sendOverHttp(url, { method: "POST", headers, body, timeout: answerTimeout }).catch((error: unknown) => {
    throw new McpAnswerError(messageOf(error), 0);
  });
}

async function answerIn(response: IncomingMessage): Promise<JsonObject | undefined> {
  try {
    for await (const text of messagesOf(response)) {
      const message = parseJsonObject(text, maxDepth);
      if (message?.["id"] === 1 || message?.["error"] !== undefined) return message;
    }
    return undefined;
  } catch (error) {
    throw new McpAnswerError(`its answer broke off: ${messageOf(error)}`, response.statusCode ?? 0);
  }
}
