// One MCP server of the SDK: for a session of the older revisions, or for one request of the newer one.
import type { CallToolResult, Result, Server } from "@modelcontextprotocol/server";
import { callMethods, isJsonObject } from "../../../wire/index.ts";
import type { JsonObject, Offer, Tool } from "../../../wire/index.ts";
import { pageOf } from "./list-page.ts";
import { noteFailures } from "./note-failures.ts";
import { inMcpWords } from "./outcome.ts";
import { readableItem } from "./readable-item.ts";
import { PassingServer } from "./passing-server.ts";
import { malformed } from "./request.ts";
import { idOf, offerIn } from "./scope.ts";
import type { Item } from "./scope.ts";
import { serveCall } from "./serve-call.ts";
import type { Serving } from "./serve-call.ts";
import { serverInfo } from "./server-info.ts";

const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

const lists = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;

/** The first revision with output schemas. */
const outputBegins = "2025-06-18";

/** What a client is told first is worked out by who needs it: with many tabs it takes a while. */
export function createServer(serving: Serving, instructions?: string): Server {
  const { agent, tab, holds, door } = serving;
  const server = new PassingServer(serverInfo, {
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    requestState: { verify: holds.verify },
    // Who takes no rounds is asked by the page; that its handler runs again is not for the hub to decide.
    inputRequired: { legacyShim: false },
  });
  server.onerror = noteFailures(door.note, "server");
  for (const [method, kind] of Object.entries(lists)) {
    server.on(method, ({ cursor }) =>
      inMcpWords(() =>
        listPage(kind, offerIn(agent, tab), {
          cursor,
          size: door.limits.listItems,
          hasOutput: (server.getNegotiatedProtocolVersion() ?? outputBegins) >= outputBegins,
        }),
      ),
    );
  }
  for (const method of callMethods) {
    server.on(method, async (parameters, context) => {
      const tool = method === "tools/call" ? agent.tool(String(parameters["name"]), tab) : undefined;
      const served = { method, parameters, context, capabilities: server.getClientCapabilities() };
      const result = await serveCall(served, serving);
      if (method !== "tools/call") return result;
      return server.projectCallToolResult(result as CallToolResult, tool && listedOutput(tool));
    });
  }
  return server;
}

/** The output schema as a client has read it in the list, where the tool has one that can be read. */
function listedOutput(tool: Tool): JsonObject | undefined {
  const { outputSchema } = readableItem("tools", tool);
  return isJsonObject(outputSchema) ? outputSchema : undefined;
}

function listPage(
  kind: keyof Offer,
  offer: Offer,
  { cursor, size, hasOutput }: { readonly cursor: unknown; readonly size: number; readonly hasOutput: boolean },
): Result {
  if (cursor !== undefined && typeof cursor !== "string") throw malformed("cursor", "a string");
  const { items, nextCursor } = pageOf<Item>(offer[kind], cursor, { size, nameOf: idOf });
  const list = items.map((item) => {
    const { outputSchema, ...older } = readableItem(kind, item);
    return hasOutput && outputSchema !== undefined ? { ...older, outputSchema } : older;
  });
  return nextCursor === undefined ? { [kind]: list } : { [kind]: list, nextCursor };
}
