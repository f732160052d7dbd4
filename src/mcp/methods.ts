// What clients of a hub can ask for, in the tables of the two kinds of revisions.
import type { CallRequest } from "../switchboard/index.ts";
import { PagewireError, callMethods, identifierPattern, isBuiltInTool, isJsonObject } from "../wire/index.ts";
import type { CallMethod, JsonObject, LogLevel, Offer } from "../wire/index.ts";
import { olderResult, withText } from "./calls.ts";
import type { Exchange, Methods, Reply } from "./engine.ts";
import { isWrapped, serveList } from "./lists.ts";
import { RpcError, complete, discoverResult, isLogLevel, uncached, wrong } from "./messages.ts";
import type { Request, ServerWords } from "./messages.ts";
import type { SessionPeer } from "./questions.ts";
import { readableItem } from "./readable-item.ts";

/** The call that a `tools/call` or a `prompts/get` describes; throws where its parameters have the wrong form. */
function namedCall(method: "tools/call" | "prompts/get", request: Request): CallRequest {
  const { params } = request;
  const { arguments: given = {} } = params;
  if (!isJsonObject(given)) throw wrong("arguments", "an object");
  return { method, name: textIn(params, "name"), arguments: request.arguments ?? jsonOf(given), key: keyOf(params) };
}

function textIn(params: JsonObject, name: string): string {
  const { [name]: value } = params;
  if (typeof value !== "string") throw wrong(name, "a string");
  return value;
}

/** The key under which a call runs once: in the form that is proposed for MCP, or as our own mark. */
function keyOf({ idempotencyKey, _meta }: JsonObject): string | undefined {
  const key = idempotencyKey ?? (isJsonObject(_meta) ? _meta["pagewire/idempotencyKey"] : undefined);
  if (key === undefined || (typeof key === "string" && identifierPattern.test(key))) return key;
  throw new RpcError("invalid-params", "The idempotency key must be 1 to 128 printable characters without spaces.");
}

/** A port carries more than JSON can say. */
function jsonOf(given: JsonObject): string {
  try {
    return JSON.stringify(given);
  } catch {
    throw wrong("arguments", "what JSON can say");
  }
}

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
export interface HubPeer {
  readonly server: ServerWords;
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
  "server/discover": ({ peer, reply }) => reply.result(discoverResult(wordsOf(peer))),
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

function wordsOf(peer: object): ServerWords {
  return (peer as HubPeer).server;
}

function listOf(kind: keyof Offer) {
  return (exchange: Exchange) => serveList(kind, exchange, wordsOf(exchange.peer));
}

function callOf(method: CallMethod) {
  return (exchange: Exchange) => {
    const { request, peer } = exchange;
    const aimed = aimIn(peer.tab, requestOf(method, request));
    peer.begin({ ...aimed, left: peer.limits.callTimeMost, refusal: peer.refusal?.() }, exchange);
  };
}

/** Aims a call at the scope's tab, where there is one. Its tools are called by their own names. */
function aimIn(tab: string | undefined, request: CallRequest): CallRequest {
  if (tab === undefined) return request;
  if (request.method === "tools/call" && isBuiltInTool(request.name)) {
    throw new PagewireError("tool-not-found", `There is no tool "${request.name}" here: this is one tab's own list.`);
  }
  return { ...request, tab, isOwnName: true };
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

/** Answers a request by a table of methods; throws what its answer is where it has no result. */
export function dispatch(methods: Methods, exchange: Exchange): void {
  const { method } = exchange.request;
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!run) throw new RpcError("method-not-found", `There is no method ${method.slice(0, 100)} here.`);
  run(exchange);
}

/** Runs what answers a request; what it throws is the answer. */
export function answer(reply: Reply, run: () => void, onFailure: (error: unknown) => void): void {
  try {
    run();
  } catch (error) {
    reply.error(inMcpWords(error, onFailure));
  }
}

function inMcpWords(error: unknown, onFailure: (error: unknown) => void): RpcError {
  if (error instanceof RpcError) return error;
  if (PagewireError.isInstance(error)) {
    return new RpcError("invalid-params", error.message, { "pagewire/code": error.code });
  }
  onFailure(error);
  return new RpcError("internal-error", "The request could not be answered.");
}
