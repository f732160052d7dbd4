// What becomes of an answer that asks for input first: it goes to the caller, or is asked here and the handler runs again.
import { PagewireError, askMethods, isJsonObject } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { CallEnvironment, CallInput } from "./context.ts";
import type { InputRequired } from "./input-required.ts";
import type { MadeContext } from "./make-context.ts";
import { mcpResult } from "./mcp-result.ts";
import type { Sending } from "./to-json.ts";

/** How often a handler may ask for input in one call; a caller that takes rounds begins a call with each. */
const roundsMost = 8;

/** An answer that asks for input, and its JSON text. */
export interface Round extends Pick<InputRequired, "inputRequests" | "requestState"> {
  readonly payload: string;
}

/** Reads an answer that asks for input; undefined where it does not. Throws where it is malformed. */
export function readRound(answer: unknown, sending: Sending): Round | undefined {
  if (!isJsonObject(answer) || answer["resultType"] !== "input_required") return undefined;
  const payload = mcpResult(answer, sending);
  return { ...(JSON.parse(payload) as InputRequired), payload };
}

/**
 * Whether the caller is given such an answer: it takes them, and none of its questions is better asked in the page.
 * What neither can answer is the caller's all the same, who is told so in MCP's words.
 */
export function isForCaller({ inputRequests = {} }: Round, { rounds, asks }: CallEnvironment): boolean {
  const taken = [...asks, ...neverInPage];
  return rounds && Object.values(inputRequests).every(({ method }) => taken.includes(method));
}

const neverInPage: readonly AskMethod[] = ["sampling/createMessage", "roots/list"];

/** Which round of a call it is, counted from 1, and how it is asked. */
export interface RoundNeeds extends Pick<MadeContext, "ask"> {
  readonly name: string;
  readonly round: number;
}

/** Asks one question after the other; gives what the handler is to run again with. */
export async function askRound(
  { inputRequests = {}, requestState }: Round,
  { ask, name, round }: RoundNeeds,
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
