import type { ProvenHub } from "../../hub-client/index.ts";
import { messageOf, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { mcpAddress } from "../reach-hub/hub-address.ts";
import { problem, well } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { version } from "../../hub/index.ts";
import type { IncomingMessage } from "node:http";
import { sendOverHttp } from "../reach-hub/send-over-http.ts";

/** Who is asked what. */
interface McpQuestion {
  readonly url: string;
  readonly token: string;
  readonly method: string;
  readonly params?: JsonObject;
}

/** The endpoint did not give a result; the message says what it did. */
class McpAnswerError extends Error {
  override readonly name = "McpAnswerError";
  /** The status of the response; zero where none came. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const PROTOCOL = "2026-07-28";
const ANSWER_TIME = 5000;
const LONGEST_ANSWER = 16 * 1024 * 1024;
const DEEPEST_ANSWER = 200;

/** Asks, and resolves with the result; rejects with a McpAnswerError otherwise. */
async function askMcp(question: McpQuestion): Promise<JsonObject> {
  const response = await post(question);
  const { statusCode = 0, headers } = response;
  const text = await readAnswer(response);
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  const message = (isStream ? eventsOf(text) : [text])
    .map((part) => parseJsonObject(part, DEEPEST_ANSWER))
    .find((part) => part?.["id"] === 1 || part?.["error"] !== undefined);
  const { result, error } = message ?? {};
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
        "io.modelcontextprotocol/protocolVersion": PROTOCOL,
        "io.modelcontextprotocol/clientInfo": { name: "pagewire-doctor", version },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": PROTOCOL,
    "mcp-method": method,
  };
  return sendOverHttp(url, { method: "POST", headers, body, patience: ANSWER_TIME }).catch((error: unknown) => {
    throw new McpAnswerError(messageOf(error), 0);
  });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  try {
    let text = "";
    for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
      text += part;
      if (text.length > LONGEST_ANSWER) throw new Error("the answer does not end");
    }
    return text;
  } catch (error) {
    throw new McpAnswerError(`its answer broke off: ${messageOf(error)}`, response.statusCode ?? 0);
  }
}

/** The data of every event of a stream. */
function eventsOf(stream: string): readonly string[] {
  return stream.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
      .join("\n"),
  );
}

/** More pages than any list has. */
const MOST_PAGES = 100;

/** Whether the hub's MCP endpoint answers with the token, and how many tools it lists. */
export async function examineMcp({ url: hub, token }: ProvenHub): Promise<readonly Finding[]> {
  const url = mcpAddress(hub, undefined).href;
  try {
    await askMcp({ url, token, method: "server/discover" });
    const count = await countTools(url, token);
    return [
      well("mcp", `The MCP endpoint ${url} takes the token and lists ${count} ${count === 1 ? "tool" : "tools"}.`),
    ];
  } catch (error) {
    const status = error instanceof McpAnswerError ? error.status : 0;
    const isRefused = status === 401 || status === 403;
    return [
      problem("mcp", `The MCP endpoint ${url} does not answer as it should: ${messageOf(error)}.`, {
        advice: [
          isRefused
            ? "Give the hub's own token in PAGEWIRE_TOKEN."
            : "Start the hub anew after an update: npx pagewire",
        ],
        exitCode: isRefused ? 4 : 1,
      }),
    ];
  }
}

async function countTools(url: string, token: string): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await askMcp({ url, token, method: "tools/list", params });
    if (!Array.isArray(tools)) throw new McpAnswerError("its list of tools is none", 200);
    count += tools.length;
    if (typeof nextCursor !== "string") return count;
    cursor = nextCursor;
  }
  throw new McpAnswerError("its list of tools does not end", 200);
}
