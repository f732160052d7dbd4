// What becomes of an answer that asks for input first: it goes to the caller, or is asked here and the handler runs again.
// Few handlers do, so this is loaded when the first one does.
import { PagewireError, askMethods, isJsonObject } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { CallEnvironment, CallInput, InputRequired } from "./context.ts";
import type { MadeContext } from "./make-context.ts";
import { checkObject, demand, mcpResult } from "./results.ts";
import type { Result } from "./run-call.ts";
import type { Sending } from "./to-json.ts";

/** How often a handler may ask for input in one call; a caller that takes rounds begins a call with each. */
const roundsMost = 8;

/** Which round of a call it is, counted from 1, and how its questions are sent and asked. */
export interface Round extends Pick<MadeContext, "ask"> {
  readonly name: string;
  readonly round: number;
  readonly sending: Sending;
  readonly environment: CallEnvironment;
}

/** Gives the result for a caller that takes the answer as it is, else what the handler is to run again with. */
export async function takeRound(answer: JsonObject, round: Round): Promise<Result | CallInput> {
  const payload = mcpResult(answer, round.sending, checkInputRequired);
  const asked = JSON.parse(payload) as InputRequired;
  return isForCaller(asked, round.environment)
    ? { payload, isError: false, inputRequired: true }
    : askRound(asked, round);
}

function checkInputRequired(result: JsonObject): void {
  const { inputRequests = {}, requestState = "" } = result;
  demand(typeof requestState === "string", "$.requestState is not a text.");
  checkObject(inputRequests, "$.inputRequests", (requests, path) => {
    const entries = Object.entries(requests);
    demand(entries.length > 0 || "requestState" in result, "$ has neither inputRequests nor requestState.");
    for (const [key, request] of entries) checkObject(request, `${path}.${key}`, checkRequest);
  });
}

function checkRequest({ method, params = method === "roots/list" && {} }: JsonObject, path: string): void {
  demand(typeof method === "string", `${path}.method is not a text.`);
  demand(isJsonObject(params), `${path}.params is not an object.`);
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
  { ask, name, round }: Round,
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
  for (const [key, { method, params = {} }] of requests) responses.push([key, await ask(method, params)]);
  return { responses: Object.fromEntries(responses), ...(requestState === undefined ? {} : { state: requestState }) };
}
