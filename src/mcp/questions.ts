// Questions of pages to the clients of their calls.
import { readableSchema } from "../switchboard/index.ts";
import type { CallAnswer, CallRequest } from "../switchboard/index.ts";
import { isJsonObject, parseJsonObject, plainText, sizeOf, textOf } from "../wire/index.ts";
import type { AskMethod, Json, JsonObject, Limits, Payload } from "../wire/index.ts";
import { RunningCall } from "./calls.ts";
import type { Follower } from "./calls.ts";
import type { Exchange, Peer } from "./engine.ts";
import { ReadingFollowing } from "./list-reading.ts";
import { RpcError, wrong } from "./messages.ts";
import type { RequestId } from "./messages.ts";

export interface Question {
  /** The page's id for it. */
  readonly ask: string;
  readonly method: AskMethod;
  readonly params: JsonObject;
}

export interface Asker extends Follower {
  ask(question: Question): void;
  /** The question was answered elsewhere. */
  answered(ask: string): void;
  beat(): void;
  isBehind(): boolean;
}

export interface AskablePeer extends Peer {
  readonly limits: Limits;
  readonly capabilities: JsonObject;
}

const capabilityNames = ["elicitation", "sampling", "roots", "experimental", "extensions"];
const partNames = ["form", "url", "tools", "context"];

/** Refuses malformed capabilities that questions depend on. */
export function checkCapabilities(capabilities: JsonObject): void {
  const { elicitation = {}, sampling = {} } = capabilities;
  const areSound =
    hasObjects(capabilities, capabilityNames) &&
    hasObjects(elicitation as JsonObject, partNames) &&
    hasObjects(sampling as JsonObject, partNames);
  if (!areSound) throw wrong("capabilities", "an object of objects");
}

function hasObjects(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (value[name] !== undefined && !isJsonObject(value[name])) return false;
  return true;
}

/** The questions that a client with these capabilities supports. */
export function asksOf({ elicitation, sampling, roots }: JsonObject): readonly AskMethod[] {
  const asks: AskMethod[] = [];
  // Before modes existed, an empty object meant forms.
  if (isJsonObject(elicitation) && (elicitation["form"] || !elicitation["url"])) asks.push("elicitation/create");
  if (sampling) asks.push("sampling/createMessage");
  if (roots) asks.push("roots/list");
  return asks;
}

/** A call whose page may ask questions. */
export class AskingCall<By extends Asker = Asker> extends RunningCall<By> {
  readonly peer: AskablePeer;
  /** The unanswered questions and their size. */
  readonly questions = new Map<string, Question & { readonly bytes: number }>();
  isAskedInPage = false;

  constructor(peer: AskablePeer, request: CallRequest) {
    super(peer.agent, request);
    this.peer = peer;
  }

  ask(ask: string, method: AskMethod, parameters: Payload): void {
    // A reconnected page repeats its questions.
    if (this.questions.has(ask)) return;
    const bytes = sizeOf(parameters);
    const { limits, capabilities } = this.peer;
    const tooMuch = tooManyQuestions([...this.questions.values(), { bytes }], limits);
    if (tooMuch) return this.handle.answer(ask, { code: "ask-failed", message: tooMuch });
    const params = parseJsonObject(textOf(parameters), limits.jsonDepth);
    const problem = problemWith(method, params, capabilities);
    if (!params || problem) return this.handle.answer(ask, { code: "ask-unsupported", message: problem ?? "" });
    const question = { ask, method, params: readableQuestion(method, params), bytes };
    this.questions.set(ask, question);
    for (const follower of this.followers) follower.ask(question);
  }

  askedInPage(isAsked: boolean): void {
    const isNew = isAsked && !this.isAskedInPage;
    this.isAskedInPage = isAsked;
    if (isNew) for (const follower of this.followers) if (!follower.isBehind()) follower.beat();
  }

  answer(ask: string, answer: CallAnswer): void {
    if (this.questions.delete(ask)) this.handle.answer(ask, answer);
  }

  answered(ask: string): void {
    if (this.questions.delete(ask)) for (const follower of this.followers) follower.answered(ask);
  }
}

/** Makes invisible characters visible in questions to users, who decide on them; not in those to models. */
function readableQuestion(method: string, params: JsonObject): JsonObject {
  if (method !== "elicitation/create") return params;
  const { message, requestedSchema } = params;
  return {
    ...params,
    ...(typeof message === "string" ? { message: plainText(message) } : {}),
    ...(requestedSchema === undefined ? {} : { requestedSchema: readableSchema(requestedSchema) }),
  };
}

/** Why a page may not ask this many questions at once, if so. */
function tooManyQuestions(
  questions: readonly { readonly bytes: number }[],
  { questionsPerCall, frameBytes }: Limits,
): string | undefined {
  if (questions.length > questionsPerCall) {
    return `The limit questionsPerCall of ${questionsPerCall} open questions is reached. Wait for an answer to some.`;
  }
  if (questions.reduce((sum, { bytes }) => sum + bytes, 0) <= frameBytes) return undefined;
  return `The open questions are together larger than the limit frameBytes of ${frameBytes} bytes.`;
}

/** Why a client that supports the method cannot be asked this question, if so. */
function problemWith(method: AskMethod, params: JsonObject | undefined, capabilities: JsonObject): string | undefined {
  if (!params) return "A question's parameters must be a JSON object.";
  const missing = missingFor({ method, params }, capabilities);
  if (missing?.["elicitation"]) return "The client cannot send its user to an address. Ask with a form.";
  return missing && "The client samples without tools.";
}

/** The capability that a client lacks for this question, if any. */
function missingFor(
  { method, params }: { readonly method: string; readonly params: JsonObject },
  capabilities: JsonObject,
): JsonObject | undefined {
  const { elicitation, sampling, roots } = capabilities as Readonly<Record<string, JsonObject | undefined>>;
  switch (method) {
    case "elicitation/create": {
      const isByUrl = params["mode"] === "url";
      const can = elicitation && (isByUrl ? elicitation["url"] : elicitation["form"] || !elicitation["url"]);
      return can ? undefined : { elicitation: { [isByUrl ? "url" : "form"]: {} } };
    }
    case "sampling/createMessage": {
      const wantsTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
      if (sampling && (!wantsTools || sampling["tools"])) return undefined;
      return { sampling: wantsTools ? { tools: {} } : {} };
    }
    default:
      return roots ? undefined : { roots: {} };
  }
}

const askable: readonly string[] = ["elicitation/create", "sampling/createMessage", "roots/list"];

/** Why a client cannot be asked the questions in a result, if so. */
export function wrongRequest(requests: unknown, capabilities: JsonObject): RpcError | undefined {
  for (const [name, request] of Object.entries(isJsonObject(requests) ? requests : {})) {
    const { method, params = {} } = isJsonObject(request) ? request : {};
    const shown = plainText(name.slice(0, 100));
    if (typeof method !== "string" || !askable.includes(method) || !isJsonObject(params)) {
      return new RpcError("internal-error", `The page asked "${shown}" in a form that MCP does not know.`);
    }
    const missing = missingFor({ method, params }, capabilities);
    if (!missing) continue;
    const message = `The client said that it cannot be asked "${shown}" (${method}).`;
    return new RpcError("missing-capability", message, { requiredCapabilities: missing });
  }
  return undefined;
}

/** The same for parsed questions. */
export function readableRequests(requests: Json | undefined): JsonObject {
  const entries = Object.entries(isJsonObject(requests) ? requests : {}).map(([name, request]): [string, Json] => {
    const { method, params } = isJsonObject(request) ? request : {};
    const isReadable = typeof method === "string" && isJsonObject(params);
    return [name, isReadable ? { ...(request as JsonObject), params: readableQuestion(method, params) } : request];
  });
  return Object.fromEntries(entries);
}

/** A client's answers; wrapped ones are invalid. */
export function readResponses(responses: unknown): JsonObject {
  const isBare = (value: unknown) => isJsonObject(value) && !("method" in value) && !("result" in value);
  return Object.fromEntries(
    Object.entries(isJsonObject(responses) ? responses : {}).filter(([, value]) => isBare(value)),
  );
}

/** A client with a session, which can receive requests at any time. */
export interface SessionPeer extends AskablePeer {
  /** The pending questions, by request id. */
  readonly asked: Map<RequestId, { readonly call: AskingCall; readonly ask: string }>;
  newRequestId(): RequestId;
}

/** Answers a request in a session, sending the page's questions as requests. */
class SessionFollowing extends ReadingFollowing<AskingCall> implements Asker {
  ask({ ask, method, params }: Question): void {
    const { asked, newRequestId } = this.call.peer as SessionPeer;
    const id = newRequestId();
    asked.set(id, { call: this.call, ask });
    this.exchange.reply.request?.(id, method, params);
  }

  answered(ask: string): void {
    this.#withdraw("The user answered it elsewhere.", ask);
  }

  override leave(): void {
    super.leave();
    this.#withdraw("The call has ended.");
  }

  /** Has the client close its questions: all of the call, or one. */
  #withdraw(reason: string, only?: string): void {
    const { asked } = this.call.peer as SessionPeer;
    for (const [requestId, { call, ask }] of asked) {
      if (call !== this.call || (only !== undefined && ask !== only)) continue;
      asked.delete(requestId);
      this.exchange.reply.notify("notifications/cancelled", { requestId, reason });
    }
  }
}

/** Passes a client's answer to the page; ignores answers to unknown questions. */
export function takeResponse(
  { id, result, error }: { readonly id: unknown; readonly result?: unknown; readonly error?: unknown },
  { asked }: SessionPeer,
): boolean {
  const found = asked.get(id as RequestId);
  if (!found) return false;
  asked.delete(id as RequestId);
  const { call, ask } = found;
  if (isJsonObject(result)) call.answer(ask, { payload: JSON.stringify(result) });
  else {
    const why = isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : "It gave no result.";
    call.answer(ask, { code: "ask-failed", message: `The client did not answer: ${why.slice(0, maxWhy)}` });
  }
  return true;
}

/** More would not fit into the frame to the page. */
const maxWhy = 1024;

export function beginInSession(call: CallRequest, exchange: Exchange): void {
  void new SessionFollowing(new AskingCall(exchange.peer as SessionPeer, call), exchange);
}
