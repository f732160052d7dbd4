// Answers the requests of MCP clients, independent of the transport. Revisions differ in their tables of methods, transports
// in their implementation of Reply.
import type { AgentSession, CallHandle, CallRequest } from "../switchboard/index.ts";
import type { Clock } from "../link/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { AskMethod, JsonObject, LogLevel, Offer, Outcome, Payload, SwitchboardLimits } from "../wire/index.ts";
import { RpcError } from "./messages.ts";
import type { Request, RequestId } from "./messages.ts";

/** A client and its capabilities. */
export interface Peer {
  readonly agent: AgentSession;
  /** Restricts the client to one tab. */
  readonly tab?: string | undefined;
  /** Whether it uses revision 2026-07-28. */
  readonly isNewest: boolean;
  /** Whether its revision has output schemas; true by default. */
  readonly hasOutput?: boolean;
  /** The min level of logs that it wants; undefined for none. */
  readonly logLevel?: LogLevel | undefined;
  readonly limits: SwitchboardLimits;
  readonly clock: Clock;
  /** The questions that a page may ask it during a call, and whether it accepts questions as a result. */
  readonly asks?: readonly AskMethod[] | undefined;
  readonly takesRounds?: true;
  /** Its running calls, which it can cancel by request id. */
  readonly running?: Set<{ readonly exchange: Exchange; readonly call: { readonly handle: CallHandle } }>;
  /** Holds the results of calls that changed the lists of their tab. */
  readonly lists?: ListReading | undefined;
  /** The tools in a form that its vendor's models take; the same offer for the same offer. */
  readonly fit?: ((offer: Offer) => Offer) | undefined;
  /** Why new calls are refused; undefined while they are not. */
  readonly refusal?: () => Outcome | undefined;
  /** Converts a call's result to the client's revision. */
  shape(result: JsonObject, call: CallRequest): JsonObject;
  /** Begins a call that will answer the request. */
  begin(call: CallRequest, exchange: Exchange): void;
}

/**
 * Has the results of calls wait for a client that reads its list of tools again, so that its model knows a tool which a call
 * brought about in the request with that call's result.
 */
export interface ListReading {
  /** Whether the result of a call in this tab has to wait. */
  isBehind(tabId: string | undefined): boolean;
  /** Runs a function once the client has read the list, or takes too long. */
  afterReading(run: () => void): void;
  /** All of the list is sent; the returned function is for when the client has received it. */
  listed(): () => void;
}

/** The transport's side of one request: notifications, then a result or an error. */
export interface Reply {
  result(result: JsonObject): void;
  error(error: RpcError): void;
  notify(method: string, params: JsonObject): void;
  /** Sends the client a request. Only with a session. */
  request?(id: RequestId, method: string, params: JsonObject): void;
  /** Send a page's payload, or a result's JSON, without parsing it. Return false if the transport cannot. */
  payload?(payload: Payload, call: CallRequest): boolean;
  text?(result: Payload): boolean;
  /** Answers a refusal by the transport's own means. Returns false for another outcome, and if it cannot any more. */
  refuse?(outcome: Outcome): boolean;
  /** Whether the client reads too slowly. */
  isBehind?(): boolean;
  /** Called when the connection ends, with whether the client has received the answer. */
  gone?: ((isRead: boolean) => void) | undefined;
}

export interface Exchange {
  readonly request: Request;
  readonly peer: Peer;
  readonly reply: Reply;
}

export type Methods = Readonly<Record<string, (exchange: Exchange) => void>>;

/** Runs a request's method from a table; throws an RpcError to answer with. */
export function dispatch(methods: Methods, exchange: Exchange): void {
  const { method } = exchange.request;
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!run) throw new RpcError("method-not-found", `There is no method ${method.slice(0, 100)} here.`);
  run(exchange);
}

/** Runs a function that answers a request; an exception becomes the error to answer with. */
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
