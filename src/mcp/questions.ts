// What pages ask the clients of their calls.
import { readableSchema } from "../switchboard/index.ts";
import type { CallAnswer, CallRequest } from "../switchboard/index.ts";
import { isJsonObject, parseJsonObject, plainText, sizeOf, textOf } from "../wire/index.ts";
import type { AskMethod, Json, JsonObject, Limits, Payload } from "../wire/index.ts";
import { Following, RunningCall } from "./calls.ts";
import type { Follower } from "./calls.ts";
import type { Exchange, Peer } from "./engine.ts";
import { RpcError, wrong } from "./messages.ts";
import type { RequestId } from "./messages.ts";

export interface Question {
  /** The name that the page gave it. */
  readonly ask: string;
  readonly method: AskMethod;
  readonly params: JsonObject;
}

export interface Asker extends Follower {
  ask(question: Question): void;
}

/** A client that can be asked. */
export interface AskablePeer extends Peer {
  readonly limits: Limits;
  readonly capabilities: JsonObject;
}

const capabilityNames = ["elicitation", "sampling", "roots", "experimental", "extensions"];
const partNames = ["form", "url", "tools", "context"];

/** Refuses capabilities in which what questions depend on has not its form. */
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

/** What a client with these capabilities can be asked. */
export function asksOf({ elicitation, sampling, roots }: JsonObject): readonly AskMethod[] {
  const asks: AskMethod[] = [];
  // Before there were modes, an empty object meant forms.
  if (isJsonObject(elicitation) && (elicitation["form"] || !elicitation["url"])) asks.push("elicitation/create");
  if (sampling) asks.push("sampling/createMessage");
  if (roots) asks.push("roots/list");
  return asks;
}

/** A call whose page may ask. */
export class AskingCall<By extends Asker = Asker> extends RunningCall<By> {
  readonly peer: AskablePeer;
  /** The questions that have no answer yet, and how large they are. */
  readonly questions = new Map<string, Question & { readonly bytes: number }>();

  constructor(peer: AskablePeer, request: CallRequest) {
    super(peer.agent, request);
    this.peer = peer;
  }

  ask(ask: string, method: AskMethod, parameters: Payload): void {
    // A page that was cut off repeats its questions when it is back.
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

  answer(ask: string, answer: CallAnswer): void {
    if (this.questions.delete(ask)) this.handle.answer(ask, answer);
  }
}

/** What a user is asked hides nothing: they decide on it. What a model is asked is data. */
function readableQuestion(method: string, params: JsonObject): JsonObject {
  if (method !== "elicitation/create") return params;
  const { message, requestedSchema } = params;
  return {
    ...params,
    ...(typeof message === "string" ? { message: plainText(message) } : {}),
    ...(requestedSchema === undefined ? {} : { requestedSchema: readableSchema(requestedSchema) }),
  };
}

/** Why a page may not ask this much at one time; undefined when it may. */
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

/** Why a client cannot be asked this, beyond that it takes questions of this method; undefined when it can. */
function problemWith(method: AskMethod, params: JsonObject | undefined, capabilities: JsonObject): string | undefined {
  if (!params) return "A question's parameters must be a JSON object.";
  const missing = missingFor({ method, params }, capabilities);
  if (missing?.["elicitation"]) return "The client cannot send its user to an address. Ask with a form.";
  return missing && "The client samples without tools.";
}

/** What a client would have to be able to do to be asked this, and cannot; undefined where it can be asked. */
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

/** Why a client cannot be asked what a page ended with. */
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

/** The same for what a page ended with, after it was looked at. */
export function readableRequests(requests: Json | undefined): JsonObject {
  const entries = Object.entries(isJsonObject(requests) ? requests : {}).map(([name, request]): [string, Json] => {
    const { method, params } = isJsonObject(request) ? request : {};
    const isReadable = typeof method === "string" && isJsonObject(params);
    return [name, isReadable ? { ...(request as JsonObject), params: readableQuestion(method, params) } : request];
  });
  return Object.fromEntries(entries);
}

/** The answers of a client; one in an envelope of its own is none. */
export function readResponses(responses: unknown): JsonObject {
  const isBare = (value: unknown) => isJsonObject(value) && !("method" in value) && !("result" in value);
  return Object.fromEntries(
    Object.entries(isJsonObject(responses) ? responses : {}).filter(([, value]) => isBare(value)),
  );
}

/** A client with a session, which can be asked at any time. */
export interface SessionPeer extends AskablePeer {
  /** The questions that wait for their answer, by the id of their request. */
  readonly asked: Map<RequestId, { readonly call: AskingCall; readonly ask: string }>;
  newRequestId(): RequestId;
}

/** Answers a request in a session: what the page asks on the way is a request of its own. */
class SessionFollowing extends Following<AskingCall> implements Asker {
  ask({ ask, method, params }: Question): void {
    const { asked, newRequestId } = this.call.peer as SessionPeer;
    const id = newRequestId();
    asked.set(id, { call: this.call, ask });
    this.exchange.reply.request?.(id, method, params);
  }

  override leave(): void {
    super.leave();
    const { asked } = this.call.peer as SessionPeer;
    for (const [requestId, { call }] of asked) {
      if (call !== this.call) continue;
      asked.delete(requestId);
      // Nobody wants the answer any more.
      this.exchange.reply.notify("notifications/cancelled", { requestId, reason: "The call has ended." });
    }
  }
}

/** Gives a page what the client of a session said; an answer to what was never asked is nobody's. */
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
    call.answer(ask, { code: "ask-failed", message: `The client did not answer: ${why.slice(0, longestWhy)}` });
  }
  return true;
}

/** More would not fit the frame that tells the page. */
const longestWhy = 1024;

/** Begins a call of a client with a session. */
export function beginInSession(call: CallRequest, exchange: Exchange): void {
  void new SessionFollowing(new AskingCall(exchange.peer as SessionPeer, call), exchange);
}
