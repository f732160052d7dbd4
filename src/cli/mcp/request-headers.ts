// The headers that MCP 2026-07-28 wants beside a request, so that nobody on the way has to read its body.
import { metaOf } from "./message.ts";
import type { RequestMessage } from "./message.ts";

/** The version that a modern message says it is of; undefined for messages of earlier versions. */
export function versionOf(message: Pick<RequestMessage, "params">): string | undefined {
  const version = metaOf(message, "io.modelcontextprotocol/protocolVersion");
  return typeof version === "string" ? version : undefined;
}

/** Which parameter of a method is its `Mcp-Name`. */
const nameParameters: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** The standard headers of a modern request. */
export function requestHeaders(message: RequestMessage): Readonly<Record<string, string>> {
  const { method, params } = message;
  const parameter = Object.hasOwn(nameParameters, method) ? nameParameters[method] : undefined;
  const name = parameter === undefined ? undefined : params[parameter];
  return {
    // What no header can say is left out: the hub then says what is wrong with it.
    ...plainHeader("mcp-protocol-version", versionOf(message)),
    ...plainHeader("mcp-method", method),
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/** A text as the value of a header: as it is if that is possible, else as Base64 with marks around it. */
export function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

function plainHeader(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value !== undefined && headerValue(value) === value ? { [name]: value } : {};
}
