// What asks: a handler's question, and its answer that asks for input first, which goes to the caller, or is asked here
// and the handler runs again. Few handlers ask, so this is loaded when the first one does.
import { PagewireError, askMethods, isJsonObject } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { Answer, CallEnvironment, CallInput, InputRequired, Question } from "./context.ts";
import { isOver, sendable } from "./make-context.ts";
import type { OpenCall } from "./make-context.ts";
import { checkTexts, demand, mcpResult } from "./results.ts";
import type { Result } from "./run-call.ts";
import type { Sending } from "./to-json.ts";

/** Asks the user; what is asked and answered has MCP's form. */
export async function askUser(call: OpenCall, question: Question): Promise<Answer> {
  const { message, requestedSchema = { type: "object", properties: {} } } = question;
  const { action, content } = await ask(call, "elicitation/create", { message, requestedSchema });
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw failed("The answer to the question has no known action.");
  }
  return isJsonObject(content) ? { action, content } : { action };
}

/** Asks a question in MCP's form; rejects when the call is over. */
export async function ask(call: OpenCall, method: AskMethod, parameters: object): Promise<JsonObject> {
  const question = sendable("The question", parameters, call.limits) as JsonObject;
  const answer: unknown = isOver(call) || (await Promise.race([endOf(call), call.environment.ask(method, question)]));
  if (isJsonObject(answer)) return answer;
  throw failed(
    isOver(call) ? "The call is over: nobody can be asked any more." : "The answer to the question is not an object.",
  );
}

/** Resolves when the call ends, for all its questions. */
function endOf(call: OpenCall): Promise<unknown> {
  return (call.ending ??= new Promise<void>((resolve) => {
    const { environment } = call;
    const signal = environment.isOver === undefined ? environment.signal : undefined;
    const end = () => {
      signal?.removeEventListener("abort", end);
      resolve();
    };
    signal?.addEventListener("abort", end);
    call.end = end;
  }));
}

function failed(message: string): PagewireError {
  return new PagewireError("ask-failed", message);
}

/** How often a handler may ask for input in one call; a caller that takes rounds begins a call with each. */
const roundsMost = 8;

/** Which round of a call it is, counted from 1, and how its questions are sent and asked. */
export interface Round {
  readonly call: OpenCall;
  readonly name: string;
  readonly round: number;
  readonly sending: Sending;
}

/** Gives the result for a caller that takes the answer as it is, else what the handler is to run again with. */
export async function takeRound(answer: JsonObject, round: Round): Promise<Result | CallInput> {
  const payload = mcpResult(answer, round.sending, checkInputRequired);
  const asked = JSON.parse(payload) as InputRequired;
  return isForCaller(asked, round.call.environment)
    ? { payload, isError: false, inputRequired: true }
    : askRound(asked, round);
}

function checkInputRequired(result: JsonObject): void {
  const { inputRequests = {}, requestState = "" } = result;
  demand(typeof requestState === "string", "$.requestState is not a text.");
  checkTexts(inputRequests, "$.inputRequests");
  const entries = Object.entries(inputRequests);
  demand(entries.length > 0 || "requestState" in result, "$ has neither inputRequests nor requestState.");
  for (const [key, request] of entries) {
    const path = `$.inputRequests.${key}`;
    checkTexts(request, path, ["method"]);
    const { method, params = method === "roots/list" && {} } = request;
    checkTexts(params, `${path}.params`);
  }
}

/**
 * Whether the caller is given such an answer: it takes them, and none of its questions is better asked in the page.
 * What neither can answer is the caller's all the same, who is told so in MCP's words.
 */
function isForCaller({ inputRequests = {} }: InputRequired, { rounds, asks }: CallEnvironment): boolean {
  const taken = [...asks, ...neverInPage];
  return rounds && Object.values(inputRequests).every(({ method }) => taken.includes(method));
}

const neverInPage: readonly AskMethod[] = ["sampling/createMessage", "roots/list"];

/** Asks one question after the other; gives what the handler is to run again with. */
async function askRound(
  { inputRequests = {}, requestState }: InputRequired,
  { call, name, round }: Round,
): Promise<CallInput> {
  if (round > roundsMost) {
    throw new PagewireError("ask-failed", `The ${name} asks for input once more after ${roundsMost} rounds, the most.`);
  }
  const requests = Object.entries(inputRequests);
  // Before anybody is bothered with the others.
  for (const [key, { method }] of requests) {
    if (askMethods.includes(method)) continue;
    throw new PagewireError("ask-unsupported", `Nobody can be asked for "${key}": there is no question "${method}".`);
  }
  const responses: [string, JsonObject][] = [];
  for (const [key, { method, params = {} }] of requests) responses.push([key, await ask(call, method, params)]);
  return { responses: Object.fromEntries(responses), ...(requestState === undefined ? {} : { state: requestState }) };
}
