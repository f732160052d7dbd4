// One question to an MCP endpoint, as a client of the newest protocol puts it: no session, everything in one request.
import { version } from "../../hub/index.ts";
import type { IncomingMessage } from "node:http";
import { isJsonObject, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { sendOverHttp } from "../send-over-http.ts";

/** Who is asked what. */
export interface McpQuestion {
  readonly url: string;
  readonly token: string;
  readonly method: string;
  readonly params?: JsonObject;
}

/** The endpoint did not give a result; the message says what it did. */
export class McpAnswerError extends Error {
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
export async function askMcp(question: McpQuestion): Promise<JsonObject> {
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
