// Questions in revision 2026-07-28: they end the request, and the client sends the answers with a new one. The state between
// rounds is sealed: a client cannot forge it, and it is valid for its owner only.
import type { Clock } from "../link/index.ts";
import type { CallRequest } from "../switchboard/index.ts";
import type { JsonObject, Limits, Outcome } from "../wire/index.ts";
import { lostOutcome, replyWith, resultOf } from "./calls.ts";
import { ReadingFollowing } from "./list-reading.ts";
import type { Exchange } from "./engine.ts";
import { createHeldCalls } from "./held-calls.ts";
import { AskingCall, readResponses, readableRequests, wrongRequest } from "./questions.ts";
import type { AskablePeer, Asker } from "./questions.ts";
import { RpcError, complete } from "./messages.ts";
import type { ServerWords } from "./messages.ts";

/** The state that a client returns with its answers. */
type RoundState =
  /** The call is still running and waits for the answers. */
  | { readonly call: string; readonly of: string }
  /** The page ended the call with questions, and gets this state back. */
  | { readonly page: string | null; readonly tab: string | null; readonly of: string };

/** A client that supports rounds. */
export interface RoundsPeer extends AskablePeer {
  readonly server: ServerWords;
  readonly rounds: Rounds;
  /** The only client for whom a state is valid. */
  readonly owner: string;
  /** Why it may not answer questions of a call that this one's request began; undefined if it may. */
  readonly refusalToAnswer?: ((begunBy: AskablePeer) => Outcome | undefined) | undefined;
}

export interface Rounds {
  /** Begins a call, or resumes the one that the request answers. */
  serve(call: CallRequest, exchange: Exchange): void;
  suspend(call: RoundCall, exchange: Exchange): void;
  /** The result for a call that the page ended with questions. */
  passOn(call: RoundCall, result: JsonObject, exchange: Exchange): JsonObject | RpcError;
  /** Called when a call's last request was cut off; returns whether another may resume it. */
  abandon(call: RoundCall): boolean;
  /** Called when a call has ended; returns whether its outcome is kept for a client that has not received it. */
  ended(call: RoundCall): boolean;
  close(): void;
}

export interface RoundsOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly seal: Seal;
  /** For one hub of several: the state of a call that waits names the hub that has it. */
  readonly hubs?: HubNames | undefined;
}

interface HubNames {
  nameHere(rest: string): string;
  /** The other hub in a name. */
  hubOf(name: string): string | undefined;
  restOf(name: string): string;
}

/** Signs a value for an owner and a limited time. */
export interface Seal {
  close(value: JsonObject, owner: string): string;
  open(sealed: unknown, owner: string): JsonObject | undefined;
}

export function createRounds({ limits, clock, newId, seal, hubs }: RoundsOptions): Rounds {
  const held = createHeldCalls<RoundCall>(limits, clock);

  const ownerOf = ({ request, peer }: Exchange) => `${request.method}\n${(peer as RoundsPeer).owner}`;

  function serve(call: CallRequest, exchange: Exchange): void {
    const { requestState, inputResponses } = exchange.request.params;
    const state = requestState === undefined ? undefined : open(requestState, ownerOf(exchange));
    if (requestState !== undefined && state?.of !== call.name) throw staleState();
    const responses = inputResponses === undefined ? undefined : readResponses(inputResponses);
    if (state && "call" in state) {
      if (hubs?.hubOf(requestState as string) === undefined) return resume(state.call, responses ?? {}, exchange);
      // The ledger knows what became of it, or the page does.
      if (call.key === undefined) return replyWith(lostOutcome(undefined), call, exchange);
    }
    const input = state && "call" in state ? call : withInput(call, state, responses);
    const begun = new RoundCall(exchange.peer as RoundsPeer, input);
    new RoundFollowing(begun, exchange).begin();
  }

  function open(given: unknown, owner: string): RoundState | undefined {
    if (!hubs || typeof given !== "string") return seal.open(given, owner) as RoundState | undefined;
    const sealed = hubs.restOf(given);
    const place = given.slice(0, given.length - sealed.length);
    return seal.open(sealed, owner + place) as RoundState | undefined;
  }

  function resume(id: string, responses: JsonObject, exchange: Exchange): void {
    const call = held.get(id);
    if (!call) throw staleState();
    const refusal = (exchange.peer as RoundsPeer).refusalToAnswer?.(call.peer);
    if (refusal) return replyWith(refusal, call.request, exchange);
    // A delivered outcome is not kept longer because it is requested again.
    if (!call.isTold) held.keep(id);
    for (const ask of call.questions.keys()) {
      if (Object.hasOwn(responses, ask)) call.answer(ask, { payload: JSON.stringify(responses[ask]) });
    }
    new RoundFollowing(call, exchange).begin();
  }

  return {
    serve,
    suspend(call, exchange) {
      const id = (call.heldAs ??= newId());
      held.hold(id, call, limits.callTimeMost);
      // Built at once: a question named __proto__ must not set a prototype.
      const inputRequests = Object.fromEntries(
        [...call.questions].map(([ask, { method, params }]) => [ask, { method, params }]),
      );
      const place = hubs?.nameHere("") ?? "";
      const sealed = seal.close({ call: id, of: call.request.name }, ownerOf(exchange) + place);
      const requestState = place + sealed;
      const result = { resultType: "input_required", inputRequests, requestState };
      exchange.reply.result(complete(result, (exchange.peer as RoundsPeer).server));
    },
    passOn(call, { requestState, ...result }, exchange) {
      const wrong = wrongRequest(result["inputRequests"], call.peer.capabilities);
      if (wrong) return wrong;
      const page = typeof requestState === "string" ? requestState : null;
      const state = { page, tab: call.tabId ?? null, of: call.request.name };
      const { inputRequests } = result;
      const asked = inputRequests === undefined ? {} : { inputRequests: readableRequests(inputRequests) };
      return { ...result, ...asked, resultType: "input_required", requestState: seal.close(state, ownerOf(exchange)) };
    },
    abandon({ heldAs: id, handle }) {
      if (id === undefined) return false;
      held.dropLater(id, limits.cutTime, () => handle.cancel("The caller went away and did not come back."));
      return true;
    },
    ended(call) {
      const { heldAs: id } = call;
      if (id === undefined || !held.get(id)) return false;
      held.weigh(id);
      if (call.isTold) held.dropLater(id, limits.twinTime);
      return true;
    },
    close: held.close,
  };
}

/** A call that may outlive its first request. */
export class RoundCall extends AskingCall<RoundFollowing> {
  /** The requests that wait for it, and the last answered ones. */
  readonly requests = new Set<RoundFollowing>();
  heldAs: string | undefined;
  /** Whether a client has received the outcome. */
  isTold = false;

  override ended(outcome: Outcome): void {
    this.isTold ||= this.followers.size > 0;
    super.ended(outcome);
    (this.peer as RoundsPeer).rounds.ended(this);
  }
}

class RoundFollowing extends ReadingFollowing<RoundCall> implements Asker {
  isAnswered = false;
  #isSuspending = false;

  /** Attaches a new request to the call. */
  begin(): void {
    const { call } = this;
    // The returning client has received the answer before.
    for (const earlier of call.requests) if (earlier.isAnswered) call.requests.delete(earlier);
    call.requests.add(this);
    if (call.outcome) {
      const isFirst = !call.isTold;
      call.isTold = true;
      this.ended(call.outcome);
      if (isFirst) this.#rounds.ended(call);
    } else if (call.questions.size > 0) this.ask();
  }

  /** Ends the request with all pending questions. */
  ask(): void {
    if (this.#isSuspending) return;
    this.#isSuspending = true;
    queueMicrotask(() => {
      this.#isSuspending = false;
      if (this.isAnswered || !this.call.followers.has(this) || this.call.questions.size === 0) return;
      this.leave();
      this.isAnswered = true;
      this.#rounds.suspend(this.call, this.exchange);
    });
  }

  /** The client's answer, which may still come, is for a question that is not open any more. */
  answered(): void {}

  override ended(outcome: Outcome): void {
    this.isAnswered = true;
    if (!outcome.inputRequired) return super.ended(outcome);
    this.leave();
    const { peer, reply } = this.exchange;
    const result = resultOf(outcome, this.call.request, peer.limits.jsonDepth);
    const passed = result instanceof RpcError ? result : this.#rounds.passOn(this.call, result, this.exchange);
    if (passed instanceof RpcError) reply.error(passed);
    else reply.result(complete(passed, (peer as RoundsPeer).server));
  }

  override gone(isRead: boolean): void {
    const { call } = this;
    if (isRead) {
      if (call.heldAs === undefined) call.received();
      return;
    }
    this.leave();
    call.requests.delete(this);
    if (call.requests.size === 0 && !this.#rounds.abandon(call)) call.handle.cut();
  }

  get #rounds(): Rounds {
    return (this.exchange.peer as RoundsPeer).rounds;
  }
}

/** The client's answers, as the page that ended with questions expects them. */
function withInput(
  request: CallRequest,
  state: { readonly page: string | null; readonly tab: string | null } | undefined,
  inputResponses: JsonObject | undefined,
): CallRequest {
  if (!state && !inputResponses) return request;
  const input = JSON.stringify({ inputResponses: inputResponses ?? {}, requestState: state?.page ?? undefined });
  return state?.tab ? { ...request, input, tab: state.tab } : { ...request, input };
}

/** The error for an expired or invalid state. */
function staleState(): RpcError {
  return new RpcError("invalid-params", "Invalid or expired requestState", { reason: "invalid_request_state" });
}
