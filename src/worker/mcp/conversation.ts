// What one MCP client and this worker say to each other, whatever carries it. Requests of the newest revision and of the
// older ones are told apart by what they say, so that a client may try one and go on with the other.
import type { AgentSession } from "../../switchboard/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { Board } from "../local/board.ts";
import { callTool } from "./call-tool.ts";
import { olderResult, olderTool, resultOf } from "./outcome.ts";
import {
  batchesEnd,
  complete,
  discoverResult,
  initializeResult,
  parseEnvelope,
  parseInitialize,
  subscriptionMark,
  uncached,
} from "./revisions.ts";
import type { ClientName } from "./revisions.ts";
import { RpcError, errorAnswer, parseRpc } from "./rpc.ts";
import type { Request, RequestId } from "./rpc.ts";
import { watchTools } from "./watch-tools.ts";

export interface Conversation {
  /** Whether the client's revision has several messages in one. */
  readonly hasBatches: boolean;
  /** Takes one message, and resolves with its answer where there is one. */
  take(data: unknown): Promise<JsonObject | undefined>;
  /** Ends what the client called, and tells it nothing more. */
  close(): void;
}

export interface ConversationOptions {
  readonly principal: string;
  readonly notify: (method: string, params?: JsonObject) => void;
}

/** Undefined where a request is not answered, or not yet. */
type Answer = JsonObject | undefined | Promise<JsonObject | undefined>;
type Methods = Readonly<Record<string, (request: Request) => Answer>>;

export function createConversation({ principal, notify }: ConversationOptions, board: Board): Conversation {
  const { switchboard, newId, clock, limits } = board;
  const calls = new Map<RequestId, (reason?: string) => void>();
  /** Requests of the newest revision that stay open to hear of changed tools. */
  const listeners = new Set<RequestId>();
  let session: AgentSession | undefined;
  /** What an older client agreed on. */
  let version: string | undefined;
  let isInitialized = false;
  let stopWatching: (() => void) | undefined;

  /** The client as the pages know it: whoever it said to be first. */
  function agent(client: ClientName = { name: "mcp", version: undefined }): AgentSession {
    return (session ??= switchboard.agent({ principal, identity: newId(), ...client }));
  }

  function watch(): void {
    stopWatching ??= watchTools(agent(), () => {
      const changed = "notifications/tools/list_changed";
      if (isInitialized) notify(changed);
      for (const id of listeners) notify(changed, subscriptionMark(id));
    });
  }

  async function call({ id, params }: Request): Promise<JsonObject | undefined> {
    try {
      const onStarted = (cancel: (reason?: string) => void) => calls.set(id, cancel);
      const outcome = await callTool({ params, agent: agent(), clock, limits, notify, onStarted });
      // Who cancelled a call waits for no answer.
      return calls.has(id) ? resultOf(outcome, limits.jsonDepth) : undefined;
    } finally {
      calls.delete(id);
    }
  }

  function list({ params: { cursor } }: Request): AgentSession["offer"] {
    if (cursor !== undefined) throw new RpcError("invalid-params", "The list comes whole: there is no cursor in it.");
    return agent().offer;
  }

  const older: Methods = {
    initialize({ params }) {
      const asked = parseInitialize(params);
      version = asked.version;
      agent(asked.client);
      return initializeResult(version);
    },
    ping: () => ({}),
    "tools/list": (request) => ({ tools: list(request)().tools.map((tool) => olderTool(tool, version ?? "")) }),
    async "tools/call"(request) {
      const result = await call(request);
      return result && olderResult(result);
    },
  };

  const newest: Methods = {
    "server/discover": discoverResult,
    "tools/list": (request) => uncached({ tools: list(request)().tools as unknown as Json }),
    async "tools/call"(request) {
      const result = await call(request);
      return result && complete(result);
    },
    "subscriptions/listen"({ id, params: { notifications } }) {
      if (!isJsonObject(notifications)) throw new RpcError("invalid-params", "notifications must be an object.");
      if (listeners.size >= limits.mcpSubscriptions) {
        throw new RpcError("internal-error", `The limit mcpSubscriptions of ${limits.mcpSubscriptions} is reached.`);
      }
      const { toolsListChanged } = notifications;
      const honored = toolsListChanged === true ? { toolsListChanged } : {};
      if (toolsListChanged === true) {
        listeners.add(id);
        watch();
      }
      notify("notifications/subscriptions/acknowledged", { notifications: honored, ...subscriptionMark(id) });
      return undefined;
    },
  };

  function methodsFor({ method, params }: Request): Methods {
    const client = parseEnvelope(params);
    if (client) {
      agent(client);
      return newest;
    }
    if (version === undefined && method !== "initialize" && method !== "ping") {
      const next = "Say initialize first, or the revision in each request's _meta.";
      throw new RpcError("invalid-request", `It is not known which revision of MCP ${method} is of. ${next}`);
    }
    return older;
  }

  async function answer(request: Request): Promise<JsonObject | undefined> {
    const { id, method } = request;
    try {
      if (calls.has(id) || listeners.has(id)) throw new RpcError("invalid-request", `The id ${id} is still in use.`);
      const methods = methodsFor(request);
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!run) throw new RpcError("method-not-found", `There is no method ${method} here.`);
      const result = await run(request);
      return result && { jsonrpc: "2.0", id, result };
    } catch (error) {
      if (!(error instanceof RpcError)) board.onError(error, { stage: "mcp request" });
      return errorAnswer(id, error);
    }
  }

  function hear(method: string, params: JsonObject): void {
    if (method === "notifications/initialized" && version !== undefined) {
      isInitialized = true;
      watch();
    } else if (method === "notifications/cancelled") {
      const { requestId, reason } = params;
      const id = requestId as RequestId;
      const cancel = calls.get(id);
      calls.delete(id);
      listeners.delete(id);
      cancel?.(typeof reason === "string" ? reason.slice(0, longestReason) : undefined);
    }
  }

  async function take(data: unknown): Promise<JsonObject | undefined> {
    const message = parseRpc(data);
    switch (message.kind) {
      case "request":
        return answer(message);
      case "malformed":
        return errorAnswer(message.id, message.error);
      case "notification":
        hear(message.method, message.params);
        return undefined;
      case "response":
        return undefined;
    }
  }

  return {
    get hasBatches() {
      return version !== undefined && version < batchesEnd;
    },
    take,
    close() {
      stopWatching?.();
      stopWatching = undefined;
      listeners.clear();
      isInitialized = false;
      for (const cancel of calls.values()) cancel("The client is gone.");
      calls.clear();
      session?.close();
    },
  };
}

/** More would not fit the frame that tells the page. */
const longestReason = 1024;
