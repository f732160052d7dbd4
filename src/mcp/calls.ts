// Calls of tools, prompts, resources and completions, and the requests that wait for their outcomes.
import type { AgentSession, CallHandle, CallListener, CallRequest } from "../switchboard/index.ts";
import {
  isJsonObject,
  isPlainEnd,
  logLevels,
  markResult,
  maxJsonAtOnce,
  outcomeMarks,
  parseJson,
  parseJsonObject,
  plainText,
  textOf,
} from "../wire/index.ts";
import type { Json, JsonObject, LogLevel, Outcome, Payload } from "../wire/index.ts";
import type { Exchange, Peer } from "./engine.ts";
import { RpcError } from "./messages.ts";

/** A listener of a call, until its end. Each request that waits for the call is one. */
export interface Follower {
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Payload, logger?: string): void;
  ended(outcome: Outcome): void;
}

/** A running call. A class, so that its methods are not allocated for each call. */
export class RunningCall<Following extends Follower = Follower> implements CallListener {
  readonly request: CallRequest;
  readonly followers = new Set<Following>();
  tabId: string | undefined;
  /** Set when it has ended, while its client may still ask for it. */
  outcome: Outcome | undefined;
  readonly handle: CallHandle;

  constructor(agent: AgentSession, request: CallRequest) {
    this.request = request;
    this.handle = agent.call(request, this);
  }

  acked(tabId: string): void {
    this.tabId = tabId;
  }

  progress(progress: number, total?: number, message?: string): void {
    for (const follower of this.followers) follower.progress(progress, total, message);
  }

  log(level: LogLevel, data: Payload, logger?: string): void {
    for (const follower of this.followers) follower.log(level, data, logger);
  }

  ended(outcome: Outcome): void {
    this.outcome = outcome;
    for (const follower of this.followers) follower.ended(outcome);
  }

  /** Called when the client has received the outcome. */
  received(): void {
    this.outcome = undefined;
    this.handle.received();
  }
}

/** Answers a request with a call's progress, logs and outcome. */
export class Following<Call extends RunningCall = RunningCall> implements Follower {
  readonly call: Call;
  readonly exchange: Exchange;
  readonly #token: Json | undefined;
  #last = -Infinity;
  #stopWaiting: (() => void) | undefined;

  constructor(call: Call, exchange: Exchange) {
    const { request, peer, reply } = exchange;
    this.call = call;
    this.exchange = exchange;
    this.#token = (request.params["_meta"] as JsonObject | undefined)?.["progressToken"];
    peer.running?.add(this);
    call.followers.add(this);
    reply.gone = (isRead) => this.gone(isRead);
    this.wait();
  }

  progress(progress: number, total?: number, message?: string): void {
    if (!this.isBehind()) this.tell(progress > this.#last ? progress : above(this.#last), total, message);
  }

  log(level: LogLevel, data: Payload, logger?: string): void {
    const { peer, reply } = this.exchange;
    const { logLevel, limits } = peer;
    if (logLevel === undefined || logLevels.indexOf(level) < logLevels.indexOf(logLevel) || this.isBehind()) return;
    const text = textOf(data);
    const parsed = text.length > maxJsonAtOnce ? undefined : parseJson(text, limits.jsonDepth);
    const said = { level, data: parsed === undefined ? plainText(text) : plainValue(parsed) };
    reply.notify("notifications/message", logger === undefined ? said : { ...said, logger: plainText(logger) });
    this.wait();
  }

  ended(outcome: Outcome): void {
    this.leave();
    this.answer(outcome);
  }

  answer(outcome: Outcome): void {
    replyWith(outcome, this.call.request, this.exchange);
  }

  /** Stops listening to the call. */
  leave(): void {
    this.#stopWaiting?.();
    this.call.followers.delete(this);
    this.exchange.peer.running?.delete(this);
  }

  /** Called when the client's connection has ended. */
  gone(isRead: boolean): void {
    this.#stopWaiting?.();
    if (isRead) this.call.received();
    else this.call.handle.cut();
  }

  /** A keep-alive, so that the client does not time out on a silent call. */
  beat(message = "The tab is still working on it."): void {
    this.tell(this.#last === -Infinity ? 0 : above(this.#last), undefined, message);
  }

  isBehind(): boolean {
    return this.exchange.reply.isBehind?.() === true;
  }

  tell(progress: number, total?: number, message?: string): void {
    if (this.#token === undefined) return;
    this.#last = progress;
    const more = {
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message: plainText(message) }),
    };
    this.exchange.reply.notify("notifications/progress", { progressToken: this.#token, progress, ...more });
    this.wait();
  }

  /** Keep-alives are progress notifications, which need the client's token. */
  wait(): void {
    if (this.#token === undefined) return;
    const { clock, limits } = this.exchange.peer;
    this.#stopWaiting?.();
    this.#stopWaiting = clock.after(limits.progressTime, () => this.beat());
  }
}

/** The progress of a keep-alive: MCP requires each value to be greater than the last. */
function above(value: number): number {
  return value + Math.max(0.0001, Math.abs(value) * Number.EPSILON);
}

/** Begins a call whose page cannot ask questions. */
export function beginCall(call: CallRequest, exchange: Exchange): void {
  void new Following(new RunningCall(exchange.peer.agent, call), exchange);
}

/** Longer reasons would not fit into the frame to the page. */
const maxReason = 1024;

/** Cancels the calls that a `notifications/cancelled` names: a client may have used one id for several. */
export function cancelCall({ requestId, reason }: JsonObject, { running = new Set() }: Pick<Peer, "running">): void {
  const why = typeof reason === "string" ? reason.slice(0, maxReason) : undefined;
  for (const { call, exchange } of [...running]) if (exchange.request.id === requestId) call.handle.cancel(why);
}

/** Logs are shown to people, so invisible characters are replaced at every depth. */
function plainValue(value: Json): Json {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map((one: Json) => plainValue(one));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [plainText(name), plainValue(one)]));
}

export function replyWith(outcome: Outcome, call: CallRequest, { peer, reply }: Exchange): void {
  const { payload, inputRequired } = outcome;
  const isPlain = payload !== undefined && !inputRequired && isPlainEnd(outcome);
  if (isPlain && reply.payload?.(payload, call)) return;
  if (reply.refuse?.(outcome)) return;
  const result = resultOf(outcome, call, peer.limits.jsonDepth);
  if (result instanceof RpcError) return reply.error(result);
  reply.result(peer.shape(result, call));
}

/** The outcome of a call whose hub is gone. */
export function lostOutcome(key: string | undefined): Outcome {
  const next =
    key === undefined ? "Look before you call again." : "Call again with the same key: it will not run twice.";
  const message = `The hub that had the call is gone. It may have run. ${next}`;
  return { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown", message };
}

/** The result of a call, or for a failed call that is not a tool's, an MCP error. */
export function resultOf(outcome: Outcome, call: CallRequest, deepest: number): JsonObject | RpcError {
  const { payload, message = noMessage } = outcome;
  if (payload !== undefined) {
    const parsed = parseJsonObject(textOf(payload), deepest);
    if (!parsed) return new RpcError("internal-error", "The page's answer is not an MCP result.");
    const { resultType: _, ...result } = parsed;
    return markResult(result, outcome);
  }
  const failed = { content: [{ type: "text", text: plainText(message) }], isError: true, _meta: outcomeMarks(outcome) };
  return rpcErrorOf(outcome, call) ?? failed;
}

const noMessage = "The call failed.";

/** The MCP error of a failed call; undefined where the result reports the failure. */
export function rpcErrorOf(outcome: Outcome, { method, name }: Pick<CallRequest, "method" | "name">) {
  const { payload, code, message = noMessage } = outcome;
  if (payload !== undefined || (method === "tools/call" && code !== "tool-not-found")) return undefined;
  const words = plainText(message);
  if (code === "offer-not-found") return new RpcError("invalid-params", words, { uri: name });
  const isTheirs = theirMistakes.includes(code);
  return new RpcError(isTheirs ? "invalid-params" : "internal-error", words, outcomeMarks(outcome));
}

const theirMistakes: readonly (string | undefined)[] = [
  "tool-not-found",
  "input-invalid",
  "arguments-malformed",
  "tool-ambiguous",
];

/** Adds the structured content as text if it is not an object: some clients read only text. */
export function withText(result: JsonObject): JsonObject {
  const { structuredContent: value, content } = result;
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : [];
  const hasText = blocks.some((block) => isJsonObject(block) && block["type"] === "text");
  if (value === undefined || isJsonObject(value) || hasText) return result;
  return { ...result, content: [...blocks, { type: "text", text: JSON.stringify(value) }] };
}

/** Before 2026-07-28, structured content had to be an object. */
export function olderResult(result: JsonObject, isWrapped = false): JsonObject {
  const { structuredContent: value } = result;
  if (value === undefined || (isJsonObject(value) && !isWrapped)) return result;
  return { ...result, structuredContent: { result: value } };
}
