// What clients of a hub can ask for, in the tables of the two kinds of revisions.
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

/** What a hub can do for MCP clients. */
export const hubCapabilities: JsonObject = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** A peer of the hub's. */
export interface HubPeer extends ListPeer, Peer {
  readonly limits: Limits;
}

/** A client with a session, and what it chose for it. */
export interface ClientInSession extends SessionPeer, HubPeer {
  logLevel: LogLevel | undefined;
  /** The resources that it follows. */
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
    if (uri.length > longestUri) throw wrong("uri", `at most ${longestUri} characters`);
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

/** No page can offer a longer one. */
const longestUri = 2048;

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
    // All fields at once, also those that a spread sets later: each name after a spread is a new hidden class in V8's old
    // space, at every call.
    peer.begin(
      {
        method,
        name,
        arguments: given,
        tab,
        // A tab's own list has the tab's own names.
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

/** The call that a request describes; throws where its parameters have the wrong form. */
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

/** A call's result in the form of 2026-07-28. */
export function inNewestForm(result: JsonObject, { method }: CallRequest, server: ServerWords): JsonObject {
  return (method === "resources/read" ? uncached : complete)(withText(result), server);
}

/** A call's result in the form of the older revisions. */
export function inOlderForm(result: JsonObject, call: CallRequest, peer: Exchange["peer"]): JsonObject {
  return olderResult(withText(result), isWrappedFor(call, peer));
}

/** Whether older clients were shown what this call gives as a field of an object. */
export function isWrappedFor({ method, name }: CallRequest, { agent, tab }: Exchange["peer"]): boolean {
  const tool = method === "tools/call" ? agent.tool(name, tab) : undefined;
  return tool !== undefined && isWrapped(readableItem("tools", tool));
}
