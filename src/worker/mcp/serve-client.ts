// Serves an MCP client at a port: each message is one JSON-RPC object, or a batch in revisions that have them.
import type { PortLike } from "../../link/index.ts";
import {
  RpcError,
  answer,
  batchesEnd,
  beginCall,
  cancelCall,
  dispatch,
  errorAnswer,
  parseEnvelope,
  parseRpc,
  watchLists,
} from "../../mcp/index.ts";
import type { ClientName, Peer, Reply, Request, RequestId } from "../../mcp/index.ts";
import type { AgentSession } from "../../switchboard/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { LocalSwitchboard } from "../local/local-switchboard.ts";
import { inForm, newestMethods, olderMethods } from "./methods.ts";
import type { WorkerPeer } from "./methods.ts";

export interface ClientToServe {
  readonly port: PortLike;
  readonly principal: string;
  /** Aborts when the client's document is unloaded. */
  readonly gone: AbortSignal;
}

export function serveClient({ port, principal, gone }: ClientToServe, board: LocalSwitchboard): void {
  const { switchboard, newId, clock, limits, onError } = board;
  /** Pending requests, including subscriptions. */
  const open = new Map<RequestId, Reply>();
  const listening = new Set<RequestId>();
  const running: NonNullable<Peer["running"]> = new Set();
  let agent: AgentSession | undefined;
  /** The session negotiated by an older client. */
  let version: string | undefined;
  let isWatching = false;

  const agentFor = (client: ClientName) => switchboard.agent({ principal, identity: newId(), ...client });

  /** The revision is detected for each request, because a client may try one first. */
  function peerOf(client: ClientName = { name: "mcp", version: undefined }, isNewest = true): WorkerPeer {
    return {
      // Pages see the name that the client gave first.
      get agent() {
        return (agent ??= agentFor(client));
      },
      isNewest,
      hasOutput: version !== undefined && version >= batchesEnd,
      limits,
      clock,
      running,
      shape: (result) => inForm(result, isNewest),
      begin: beginCall,
      initialize(words) {
        version = words.version;
        agent ??= agentFor(words.client);
      },
      listener(id) {
        if (listening.size >= limits.mcpSubscriptions) {
          throw new RpcError("internal-error", `The limit mcpSubscriptions of ${limits.mcpSubscriptions} is reached.`);
        }
        listening.add(id);
        return agentFor(client);
      },
    };
  }

  function run(request: Request, reply: Reply): void {
    const { method, params } = request;
    const words = parseEnvelope(params);
    if (words) return dispatch(newestMethods, { request, peer: peerOf(words.client), reply });
    if (version === undefined && method !== "initialize" && method !== "ping") {
      const next = "Say initialize first, or the revision in each request's _meta.";
      throw new RpcError("invalid-request", `It is not known which revision of MCP ${method} is of. ${next}`);
    }
    dispatch(olderMethods, { request, peer: peerOf(undefined, false), reply });
  }

  function serve(request: Request, done: (answered?: JsonObject) => void): void {
    const { id } = request;
    const settle = (answered: JsonObject) => {
      // A request that was cancelled is not answered.
      if (open.get(id) !== reply) return done();
      close(id);
      done(answered);
      reply.gone?.(true);
    };
    const reply: Reply = {
      result: (result) => settle({ jsonrpc: "2.0", id, result }),
      error: (error) => settle(errorAnswer(id, error)),
      notify,
    };
    if (open.has(id)) return done(errorAnswer(id, new RpcError("invalid-request", `The id ${id} is still in use.`)));
    open.set(id, reply);
    answer(
      reply,
      () => run(request, reply),
      (error) => onError(error, { stage: "mcp request" }),
    );
  }

  function close(id: RequestId): void {
    open.delete(id);
    listening.delete(id);
  }

  function cancel(params: JsonObject): void {
    const id = params["requestId"] as RequestId;
    const reply = open.get(id);
    close(id);
    cancelCall(params, { running });
    reply?.gone?.(false);
  }

  function hear(method: string, params: JsonObject): void {
    if (method === "notifications/cancelled") cancel(params);
    if (method !== "notifications/initialized" || !agent || version === undefined || isWatching) return;
    isWatching = true;
    watchLists(agent, agent.offer, (list) => list === "tools" && notify("notifications/tools/list_changed"));
  }

  function notify(method: string, params?: JsonObject): void {
    port.postMessage({ jsonrpc: "2.0", method, ...(params && { params }) });
  }

  function takeAll(data: unknown): void {
    const isBatch = Array.isArray(data) && data.length > 0 && version !== undefined && version < batchesEnd;
    const messages: readonly unknown[] = isBatch ? data : [data];
    const answers: JsonObject[] = [];
    let waiting = messages.length;
    const done = (answered?: JsonObject) => {
      if (answered) answers.push(answered);
      if (--waiting === 0 && answers.length > 0) port.postMessage(isBatch ? answers : answers[0]);
    };
    for (const one of messages) {
      const message = parseRpc(one);
      if (message.kind === "request") serve(message, done);
      else {
        if (message.kind === "notification") hear(message.method, message.params);
        done(message.kind === "malformed" ? errorAnswer(message.id, message.error) : undefined);
      }
    }
  }

  function end(): void {
    // A document may open many clients in its life.
    gone.removeEventListener("abort", end);
    for (const requestId of open.keys()) cancel({ requestId, reason: "The client is gone." });
    agent?.close();
    port.close();
  }

  port.addEventListener("message", ({ data }) => {
    // Browsers do not report when the other end of a port is closed.
    if (isJsonObject(data) && "close" in data) end();
    else takeAll(data);
  });
  port.addEventListener("messageerror", () => {
    port.postMessage(errorAnswer(null, new RpcError("parse-error", "The message could not be read.")));
  });
  port.addEventListener("close", end);
  gone.addEventListener("abort", end);
  if (gone.aborted) end();
  else port.start();
}
