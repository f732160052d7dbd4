// One MCP server of the SDK: for a session of the older revisions, or for one request of the newer one.
import { Server } from "@modelcontextprotocol/server";
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { Offer } from "../../../wire/index.ts";
import { callMethods } from "../../../wire/index.ts";
import { instructionsFor } from "./instructions.ts";
import { pageOf } from "./list-page.ts";
import { inMcpWords } from "./outcome.ts";
import { offerIn } from "./scope.ts";
import { serveCall } from "./serve-call.ts";
import type { Parameters, Serving } from "./serve-call.ts";
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

/** Our payloads are MCP's shapes, but read-only, which the types of the SDK are not. */
type Handle = (method: string, handler: Handler) => void;
type Handler = (request: { readonly params?: Parameters }, context: ServerContext) => Result | Promise<Result>;

export function createServer(serving: Serving): Server {
  const { agent, tab, holds, door } = serving;
  const server = new Server(serverInfo, {
    capabilities,
    instructions: instructionsFor(agent.tabs(), tab),
    requestState: { verify: holds.verify },
  });
  const handle = server.setRequestHandler.bind(server) as unknown as Handle;

  for (const [method, kind] of Object.entries(lists)) {
    handle(method, ({ params = {} }) =>
      inMcpWords(() => listPage(kind, offerIn(agent, tab), { cursor: params["cursor"], size: door.limits.listItems })),
    );
  }
  for (const method of callMethods) {
    handle(method, ({ params = {} }, context) =>
      serveCall({ method, parameters: params, context, capabilities: server.getClientCapabilities() }, serving),
    );
  }
  return server;
}

function listPage(
  kind: keyof Offer,
  offer: Offer,
  { cursor, size }: { readonly cursor: unknown; readonly size: number },
): Result {
  const { items, nextCursor } = pageOf<Item>(offer[kind], cursor as string | undefined, { size, nameOf: idOf });
  return nextCursor === undefined ? { [kind]: items } : { [kind]: items, nextCursor };
}

interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

function idOf({ uri, uriTemplate, name }: Item): string {
  return uri ?? uriTemplate ?? name;
}
