// Answers the requests of MCP clients, whatever carries them: a parsed message and its client come in, and what is to be
// said goes to a reply. Revisions differ in their tables of methods, carriers in their replies.
import type { AgentSession, CallHandle, CallRequest } from "../switchboard/index.ts";
import type { Clock } from "../link/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { AskMethod, JsonObject, LogLevel, Outcome, Payload, SwitchboardLimits } from "../wire/index.ts";
import { RpcError } from "./messages.ts";
import type { Request, RequestId } from "./messages.ts";

/** A client, as its requests are answered. */
export interface Peer {
  readonly agent: AgentSession;
  /** The one tab that is served; undefined for all. */
  readonly tab?: string | undefined;
  /** Whether its requests are of 2026-07-28. */
  readonly isNewest: boolean;
  /** Whether its revision has schemas of what tools give; true by default. */
  readonly hasOutput?: boolean;
  /** The lowest level of logs that it wants; undefined for none. */
  readonly logLevel?: LogLevel | undefined;
  readonly limits: SwitchboardLimits;
  readonly clock: Clock;
  /** What a page may ask it in a call, and whether it takes questions for a result. */
  readonly asks?: readonly AskMethod[] | undefined;
  readonly takesRounds?: true;
  /** The calls that it can cancel by their request's id. */
  readonly running?: Set<{ readonly exchange: Exchange; readonly call: { readonly handle: CallHandle } }>;
  /** Why no new call is taken. */
  readonly refusal?: () => Outcome | undefined;
  /** A call's result in the form of its revision. */
  shape(result: JsonObject, call: CallRequest): JsonObject;
  /** Begins a call, and has the request answered. */
  begin(call: CallRequest, exchange: Exchange): void;
}

/** Where the answer to one request goes, and what is said before it. */
export interface Reply {
  result(result: JsonObject): void;
  error(error: RpcError): void;
  notify(method: string, params: JsonObject): void;
  /** Asks the client, where it has a session. */
  request?(id: RequestId, method: string, params: JsonObject): void;
  /** What a page answered, or the JSON of a whole result, where the carrier takes text. Say whether it went out unread. */
  payload?(payload: Payload, call: CallRequest): boolean;
  text?(result: Payload): boolean;
  /** Whether the client has left much of what it was told unread. */
  isBehind?(): boolean;
  /** Called when the connection ends: with whether the client had the answer. */
  gone?: ((isRead: boolean) => void) | undefined;
}

/** One request that is being answered. */
export interface Exchange {
  readonly request: Request;
  readonly peer: Peer;
  readonly reply: Reply;
}

export type Methods = Readonly<Record<string, (exchange: Exchange) => void>>;

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
