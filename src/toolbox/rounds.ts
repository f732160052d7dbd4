// Handlers' questions, and results that require input: they go to the caller, or the page asks and the handler runs
// again. Loaded with the first question, because few handlers ask.
import { PagewireError, askMethods, isJsonObject } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { Answer, CallEnvironment, CallInput, InputRequired, Question } from "./context.ts";
import { isOver, sendable } from "./make-context.ts";
import type { OpenCall } from "./make-context.ts";
import { checkTexts, demand, mcpResult } from "./results.ts";
import type { Result } from "./run-call.ts";
import type { Sending } from "./to-json.ts";

/** Asks the user, in MCP's format. */
export async function askUser(call: OpenCall, question: Question): Promise<Answer> {
  const { message, requestedSchema = { type: "object", properties: {} } } = question;
  const { action, content } = await ask(call, "elicitation/create", { message, requestedSchema });
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw failed("The answer to the question has no known action.");
  }
  return isJsonObject(content) ? { action, content } : { action };
}

/** Asks a question in MCP's format; rejects when the call is over. */
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

/** Max rounds of input in one call. Callers that support rounds start a new call for each. */
const roundsMost = 8;

/** The round, counted from 1, and how to ask its questions. */
export interface Round {
  readonly call: OpenCall;
  readonly name: string;
  readonly round: number;
  readonly sending: Sending;
}

/** Returns the result for callers that support rounds, else the input for the handler's next run. */
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
 * Whether the result goes to the caller: it supports rounds, and no question is better asked in the page. Questions
 * that neither can answer also go to the caller, as an MCP error.
 */
function isForCaller({ inputRequests = {} }: InputRequired, { rounds, asks }: CallEnvironment): boolean {
  const taken = [...asks, ...neverInPage];
  return rounds && Object.values(inputRequests).every(({ method }) => taken.includes(method));
}

const neverInPage: readonly AskMethod[] = ["sampling/createMessage", "roots/list"];

/** Asks the questions in sequence; returns the input for the handler's next run. */
async function askRound(
  { inputRequests = {}, requestState }: InputRequired,
  { call, name, round }: Round,
): Promise<CallInput> {
  if (round > roundsMost) {
    throw new PagewireError("ask-failed", `The ${name} asks for input once more after ${roundsMost} rounds, the most.`);
  }
  const requests = Object.entries(inputRequests);
  // Before the user sees the other questions.
  for (const [key, { method }] of requests) {
    if (askMethods.includes(method)) continue;
    throw new PagewireError("ask-unsupported", `Nobody can be asked for "${key}": there is no question "${method}".`);
  }
  const responses: [string, JsonObject][] = [];
  for (const [key, { method, params = {} }] of requests) responses.push([key, await ask(call, method, params)]);
  return { responses: Object.fromEntries(responses), ...(requestState === undefined ? {} : { state: requestState }) };
}
