// Serves one request that is a call: of a tool, a prompt, a resource or a completion.
import { setMaxListeners } from "node:events";
import type { ClientCapabilities, Result, ServerContext } from "@modelcontextprotocol/server";
import type { AgentSession, CallRequest } from "../../../switchboard/index.ts";
import type { CallMethod } from "../../../wire/index.ts";
import type { Door } from "../door.ts";
import { askClient } from "./ask-client.ts";
import { follow } from "./follow.ts";
import type { Followed, Follower } from "./follow.ts";
import { staleState } from "./holds.ts";
import type { Holds, RoundState } from "./holds.ts";
import { inMcpWords, resultOf } from "./outcome.ts";
import type { Parameters } from "./passing-server.ts";
import { asksOf, callOf } from "./request.ts";
import { problemWithQuestion } from "./problem-with-question.ts";
import { startCall } from "./running-call.ts";
import type { RunningCall } from "./running-call.ts";
import { aimIn } from "./scope.ts";

/** For whom, and for which tabs, a server serves. */
export interface Serving {
  readonly door: Door;
  readonly holds: Holds;
  readonly agent: AgentSession;
  /** The one tab that is served; undefined for all. */
  readonly tab: string | undefined;
  /** Whether the client has a session, in which it can be asked at any time; else it takes rounds of questions. */
  readonly hasSession: boolean;
}

export interface CallToServe {
  readonly method: CallMethod;
  readonly parameters: Parameters;
  readonly context: ServerContext;
  readonly capabilities: ClientCapabilities | undefined;
}

export async function serveCall(served: CallToServe, serving: Serving): Promise<Result> {
  const { method, parameters, context, capabilities } = served;
  const { door, tab, hasSession, holds } = serving;
  const { limits } = door;
  const made = inMcpWords(() => aimIn(tab, callOf(method, parameters)));
  const asks = asksOf(capabilities);
  const request: CallRequest = { ...made, asks, rounds: !hasSession, left: limits.callTimeMost };

  const state = hasSession ? undefined : context.mcpReq.requestState<RoundState>();
  if (state && state.of !== request.name) throw staleState();
  if (state && "call" in state) {
    return followIn(served, serving, { followed: holds.resume(state, context.mcpReq.inputResponses ?? {}) });
  }
  const call = context.http?.req && handedOver.get(context.http.req);
  const refused = call ? undefined : door.refusal();
  if (refused) return resultOf(refused, request, limits);
  const full = withInput(request, state, context.mcpReq.inputResponses);
  const followed = {
    call: call ?? startCall(serving.agent, full, limits),
    request: full,
    questions: new Map(),
    followers: new Set<Follower>(),
    end: undefined,
  };
  // Where nothing has happened, its silence is why it was given over.
  return followIn(served, serving, { followed, isOverdue: call?.events.length === 0 });
}

function followIn(
  { context, capabilities }: CallToServe,
  { door, holds, hasSession }: Serving,
  { followed, isOverdue = false }: { readonly followed: Followed; readonly isOverdue?: boolean },
): Promise<Result> {
  const { call, followers } = followed;
  const { limits } = door;
  const signal = lossOf(context, hasSession);
  const over = new AbortController();
  // Each question listens.
  setMaxListeners(0, over.signal);
  const follower: Follower = { isAnswered: false };
  const abandon = () => {
    if (hasSession) return call.cancel();
    followers.delete(follower);
    if (followers.size === 0 && !holds.abandon(followed)) call.cut();
  };
  // Who comes back has had the answer before.
  for (const earlier of followers) if (earlier.isAnswered) followers.delete(earlier);
  followers.add(follower);
  signal.addEventListener("abort", abandon);
  if (signal.aborted) abandon();
  return follow(followed, {
    context,
    limits,
    // What is cancelled ends, and that it did is the answer.
    signal: hasSession ? undefined : signal,
    isOverdue,
    problemWith: (question) => problemWithQuestion(question, capabilities, limits),
    ask: hasSession
      ? (question) => void askClient(question, call, { context, limits, signal: over.signal })
      : undefined,
    suspend: () => holds.suspend(followed, context),
    passOn: (result) => holds.passOn(followed, result, context),
    ended() {
      over.abort("The call has ended.");
      holds.ended(followed);
    },
  }).finally(() => (follower.isAnswered = true));
}

/**
 * Aborts when the client does not want the answer any more, or cannot be given it. In a session only its cancelling
 * says so; without one its connection does, and the server's own signal aborts after an answer that was given too.
 */
function lossOf({ mcpReq, http }: ServerContext, hasSession: boolean): AbortSignal {
  return hasSession ? mcpReq.signal : (http?.req?.signal ?? mcpReq.signal);
}

/** What the client answered to a page that ended with questions, for the page. */
function withInput(
  request: CallRequest,
  state: { readonly page: string | null; readonly tab: string | null } | undefined,
  inputResponses: Readonly<Record<string, unknown>> | undefined,
): CallRequest {
  if (!state && !inputResponses) return request;
  const input = JSON.stringify({ inputResponses: inputResponses ?? {}, requestState: state?.page ?? undefined });
  return state?.tab ? { ...request, input, tab: state.tab } : { ...request, input };
}

const handedOver = new WeakMap<Request, RunningCall>();

/** Lets the SDK's handler of this request find the call that the fast lane began for it. */
export function handOver(request: Request, call: RunningCall): void {
  handedOver.set(request, call);
}

/** Says to the SDK for whom a request is. */
export function authInfoOf(owner: string) {
  return { token: "", clientId: owner, scopes: [] };
}
