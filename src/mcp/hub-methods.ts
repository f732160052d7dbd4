// The methods of a hub's MCP server: one table for 2026-07-28, one for the older revisions.
import type { CallRequest } from "../switchboard/index.ts";
import { PagewireError, callMethods, isBuiltInTool, isJsonObject } from "../wire/index.ts";
import type { CallMethod, JsonObject, Limits, LogLevel, Offer } from "../wire/index.ts";
import { olderResult, withText } from "./calls.ts";
import type { Exchange, Methods, Peer } from "./engine.ts";
import { isWrapped, serveList } from "./lists.ts";
import type { ListPeer } from "./lists.ts";
import {
  RpcError,
  complete,
  discoverResult,
  isLogLevel,
  keyOf,
  namedCall,
  textIn,
  traceOf,
  uncached,
  wrong,
} from "./messages.ts";
import type { Request, ServerWords } from "./messages.ts";
import type { SessionPeer } from "./questions.ts";
import { readableItem } from "./readable-item.ts";

const lists = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const satisfies Record<string, keyof Offer>;

export const hubCapabilities: JsonObject = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export interface HubPeer extends ListPeer, Peer {
  readonly limits: Limits;
}

/** A client with a session, and the session's settings. */
export interface ClientInSession extends SessionPeer, HubPeer {
  logLevel: LogLevel | undefined;
  /** The resources that it has subscribed to. */
  readonly followed: Set<string>;
}

const common: Methods = {
  ...Object.fromEntries(Object.entries(lists).map(([method, kind]) => [method, listOf(kind)])),
  ...Object.fromEntries(callMethods.map((method) => [method, callOf(method)])),
};

export const newestMethods: Methods = {
  ...common,
  "server/discover": ({ peer, reply }) => reply.result(discoverResult((peer as HubPeer).server)),
};

export const olderMethods: Methods = {
  ...common,
  ping: ({ reply }) => reply.result({}),
  "logging/setLevel"({ request: { params }, peer, reply }) {
    const { level } = params;
    if (!isLogLevel(level)) throw wrong("level", "a level of logs");
    (peer as ClientInSession).logLevel = level;
    reply.result({});
  },
  "resources/subscribe"({ request: { params }, peer, reply }) {
    const { followed, limits } = peer as ClientInSession;
    const uri = textIn(params, "uri");
    if (uri.length > maxUri) throw wrong("uri", `at most ${maxUri} characters`);
    if (followed.size >= limits.mcpSubscriptions && !followed.has(uri)) {
      const limit = `The limit mcpSubscriptions of ${limits.mcpSubscriptions} resources is reached.`;
      throw new RpcError("invalid-params", `${limit} Unsubscribe from some.`);
    }
    followed.add(uri);
    reply.result({});
  },
  "resources/unsubscribe"({ request: { params }, peer, reply }) {
    (peer as ClientInSession).followed.delete(textIn(params, "uri"));
    reply.result({});
  },
};

/** The max length that a page can offer. */
const maxUri = 2048;

function listOf(kind: keyof Offer) {
  return (exchange: Exchange) => serveList(kind, exchange, exchange.peer as HubPeer);
}

function callOf(method: CallMethod) {
  return (exchange: Exchange) => {
    const { request, peer } = exchange;
    const { tab } = peer;
    const { name, arguments: given, key } = requestOf(method, request);
    if (tab !== undefined && method === "tools/call" && isBuiltInTool(name)) {
      throw new PagewireError("tool-not-found", `There is no tool "${name}" here: this is one tab's own list.`);
    }
    // All fields at once, even those that a spread sets later: a name added after a spread creates a hidden class in V8's old
    // space at every call.
    peer.begin(
      {
        method,
        name,
        arguments: given,
        tab,
        // Names in a tab's own list are the tab's.
        isOwnName: tab === undefined ? undefined : true,
        key,
        left: peer.limits.callTimeMost,
        asks: peer.asks,
        rounds: peer.takesRounds,
        input: undefined,
        requestId: request.id,
        trace: traceOf(request),
        refusal: peer.refusal?.(),
      },
      exchange,
    );
  };
}

/** Parses the call in a request; throws an RpcError for invalid parameters. */
function requestOf(method: CallMethod, request: Request): CallRequest {
  const { params } = request;
  switch (method) {
    case "tools/call":
    case "prompts/get":
      return namedCall(method, request);
    case "resources/read":
      return { method, name: textIn(params, "uri"), arguments: "{}", key: keyOf(params) };
    case "completion/complete": {
      const { ref, argument, context } = params;
      if (!isJsonObject(ref)) throw wrong("ref", "an object");
      if (!isJsonObject(argument)) throw wrong("argument", "an object");
      const name = textIn(ref, "name" in ref ? "name" : "uri");
      return { method, name, arguments: JSON.stringify({ ref, argument, context }) };
    }
  }
}

/** A result as 2026-07-28 defines it. */
export function inNewestForm(result: JsonObject, { method }: CallRequest, server: ServerWords): JsonObject {
  return (method === "resources/read" ? uncached : complete)(withText(result), server);
}

/** A result as the older revisions define it. */
export function inOlderForm(result: JsonObject, call: CallRequest, peer: Exchange["peer"]): JsonObject {
  return olderResult(withText(result), isWrappedFor(call, peer));
}

/** Whether the tool's result is wrapped in an object for older clients. */
export function isWrappedFor({ method, name }: CallRequest, { agent, tab }: Exchange["peer"]): boolean {
  const tool = method === "tools/call" ? agent.tool(name, tab) : undefined;
  return tool !== undefined && isWrapped(readableItem("tools", tool));
}
