// A call as its user would make it elsewhere: on the command line, over HTTP and MCP, in a program. None has a token.
import type { CallMethod, JsonObject } from "pagewire/wire";

export interface WrittenCall {
  readonly method: Exclude<CallMethod, "completion/complete">;
  /** The page's own name of it; a resource's URI. */
  readonly name: string;
  readonly tabId: string;
  readonly arguments: JsonObject;
}

export interface Snippet {
  readonly title: string;
  readonly language: "bash" | "json" | "typescript";
  readonly text: string;
}

const usualHub = "http://127.0.0.1:7337";

/** The same call in each way that there is for it, at the hub of this origin. */
export function snippetsOf(call: WrittenCall, origin: string): readonly Snippet[] {
  const isTool = call.method === "tools/call";
  return [
    ...(isTool ? [commandOf(call, origin), curlOf(call, origin)] : []),
    mcpOf(call, origin),
    typescriptOf(call, origin),
  ];
}

function commandOf({ name, tabId, arguments: given }: WrittenCall, origin: string): Snippet {
  const input = Object.keys(given).length === 0 ? "" : ` ${quoted(JSON.stringify(given))}`;
  const hub = origin === usualHub ? "" : ` --hub ${origin}`;
  const dashes = name.startsWith("-") ? " --" : "";
  const text = `npx pagewire call --tab ${tabId}${hub}${dashes} ${quoted(name)}${input}`;
  return { title: "pagewire", language: "bash", text };
}

function curlOf({ name, tabId, arguments: given }: WrittenCall, origin: string): Snippet {
  const lines = [
    `curl -s ${quoted(`${origin}/api/call/${encodeURIComponent(name)}`)}`,
    `-H "Authorization: Bearer $(npx pagewire token show)"`,
    "-H 'Content-Type: application/json'",
    `-H 'Pagewire-Tab: ${tabId}'`,
    `-d ${quoted(JSON.stringify(given))}`,
  ];
  return { title: "curl", language: "bash", text: lines.join(" \\\n  ") };
}

function mcpOf({ method, name, tabId, arguments: given }: WrittenCall, origin: string): Snippet {
  const params = method === "resources/read" ? { uri: name } : { name, arguments: given };
  const message = { jsonrpc: "2.0", id: 1, method, params };
  return { title: `MCP, at ${origin}/mcp/tabs/${tabId}`, language: "json", text: JSON.stringify(message, null, 2) };
}

function typescriptOf({ method, name, tabId, arguments: given }: WrittenCall, origin: string): Snippet {
  const fields = [
    ...(method === "tools/call" ? [] : [`method: ${JSON.stringify(method)},`]),
    `name: ${JSON.stringify(name)},`,
    `tab: ${JSON.stringify(tabId)},`,
    ...(Object.keys(given).length === 0
      ? []
      : [`arguments: ${JSON.stringify(given, null, 2).replaceAll("\n", "\n  ")},`]),
  ];
  const text = [
    `import { connectHub } from "pagewire/hub-client";`,
    `import { WebSocket } from "ws";`,
    "",
    "const hub = await connectHub({",
    `  url: ${JSON.stringify(origin)},`,
    "  token: process.env.PAGEWIRE_TOKEN,",
    `  agent: { name: "my-program" },`,
    "  WebSocket,",
    "});",
    "const outcome = await hub.call({",
    ...fields.map((field) => `  ${field}`),
    "});",
    "console.log(outcome.result ?? outcome.message);",
    "hub.close();",
  ].join("\n");
  return { title: "TypeScript", language: "typescript", text };
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
