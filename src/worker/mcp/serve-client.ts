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

export function serveClient(client: ClientToServe, board: LocalSwitchboard): void {
  new ServedClient(client, board).start();
}

class ServedClient {
  readonly #client: ClientToServe;
  readonly #board: LocalSwitchboard;
  /** Pending requests, including subscriptions. */
  readonly #open = new Map<RequestId, Reply>();
  readonly #listening = new Set<RequestId>();
  readonly #running: NonNullable<Peer["running"]> = new Set();
  #agent: AgentSession | undefined;
  /** The session negotiated by an older client. */
  #version: string | undefined;
  #isWatching = false;

  constructor(client: ClientToServe, board: LocalSwitchboard) {
    this.#client = client;
    this.#board = board;
  }

  start(): void {
    const { port, gone } = this.#client;
    const end = () => {
      // A document may open many clients in its life.
      gone.removeEventListener("abort", end);
      for (const requestId of this.#open.keys()) this.#cancel({ requestId, reason: "The client is gone." });
      this.#agent?.close();
      port.close();
    };
    port.addEventListener("message", ({ data }) => {
      // Browsers do not report when the other end of a port is closed.
      if (isJsonObject(data) && "close" in data) end();
      else this.#receive(data);
    });
    port.addEventListener("messageerror", () => {
      port.postMessage(errorAnswer(null, new RpcError("parse-error", "The message could not be read.")));
    });
    port.addEventListener("close", end);
    gone.addEventListener("abort", end);
    if (gone.aborted) end();
    else port.start();
  }

  #receive(data: unknown): void {
    const isBatch = Array.isArray(data) && data.length > 0 && this.#version !== undefined && this.#version < batchesEnd;
    const messages: readonly unknown[] = isBatch ? data : [data];
    const answers: JsonObject[] = [];
    let waiting = messages.length;
    const done = (answered?: JsonObject) => {
      if (answered) answers.push(answered);
      if (--waiting === 0 && answers.length > 0) this.#client.port.postMessage(isBatch ? answers : answers[0]);
    };
    for (const one of messages) {
      const message = parseRpc(one);
      if (message.kind === "request") this.#serve(message, done);
      else {
        if (message.kind === "notification") this.#notified(message.method, message.params);
        done(message.kind === "malformed" ? errorAnswer(message.id, message.error) : undefined);
      }
    }
  }

  #serve(request: Request, done: (answered?: JsonObject) => void): void {
    const { id } = request;
    const settle = (answered: JsonObject) => {
      // A request that was cancelled is not answered.
      if (this.#open.get(id) !== reply) return done();
      this.#close(id);
      done(answered);
      reply.gone?.(true);
    };
    const reply: Reply = {
      result: (result) => settle({ jsonrpc: "2.0", id, result }),
      error: (error) => settle(errorAnswer(id, error)),
      notify: (method, params) => this.#notify(method, params),
    };
    if (this.#open.has(id))
      return done(errorAnswer(id, new RpcError("invalid-request", `The id ${id} is still in use.`)));
    this.#open.set(id, reply);
    answer(
      reply,
      () => this.#run(request, reply),
      (error) => this.#board.onError(error, { stage: "mcp request" }),
    );
  }

  #run(request: Request, reply: Reply): void {
    const { method, params } = request;
    const words = parseEnvelope(params);
    if (words) return dispatch(newestMethods, { request, peer: this.#peerOf(words.client), reply });
    if (this.#version === undefined && method !== "initialize" && method !== "ping") {
      throw new RpcError("invalid-request", "Send initialize first, or the revision of MCP in each request's _meta.");
    }
    dispatch(olderMethods, { request, peer: this.#peerOf(undefined, false), reply });
  }

  /** The revision is detected for each request, because a client may try one first. */
  #peerOf(client: ClientName = { name: "mcp", version: undefined }, isNewest = true): WorkerPeer {
    const { switchboard, newId, clock, limits } = this.#board;
    const { principal } = this.#client;
    const createAgent = (name: ClientName) => switchboard.agent({ principal, identity: newId(), ...name });
    // Pages see the name that the client gave first.
    const agentOf = (name: ClientName) => (this.#agent ??= createAgent(name));
    return {
      get agent() {
        return agentOf(client);
      },
      isNewest,
      hasOutput: this.#version !== undefined && this.#version >= batchesEnd,
      limits,
      clock,
      running: this.#running,
      shape: (result) => inForm(result, isNewest),
      begin: beginCall,
      initialize: (words) => {
        this.#version = words.version;
        agentOf(words.client);
      },
      listener: (id) => {
        if (this.#listening.size >= limits.mcpSubscriptions) {
          throw new RpcError("internal-error", `The limit mcpSubscriptions of ${limits.mcpSubscriptions} is reached.`);
        }
        this.#listening.add(id);
        return createAgent(client);
      },
    };
  }

  #notified(method: string, params: JsonObject): void {
    if (method === "notifications/cancelled") this.#cancel(params);
    if (method !== "notifications/initialized" || !this.#agent || this.#version === undefined || this.#isWatching)
      return;
    this.#isWatching = true;
    watchLists(this.#agent, this.#agent.offer, (list) => {
      if (list === "tools") this.#notify("notifications/tools/list_changed");
    });
  }

  #cancel(params: JsonObject): void {
    const id = params["requestId"] as RequestId;
    const reply = this.#open.get(id);
    this.#close(id);
    cancelCall(params, { running: this.#running });
    reply?.gone?.(false);
  }

  #close(id: RequestId): void {
    this.#open.delete(id);
    this.#listening.delete(id);
  }

  #notify(method: string, params?: JsonObject): void {
    this.#client.port.postMessage({ jsonrpc: "2.0", method, ...(params && { params }) });
  }
}
