// Frames about a call that runs: from the page to the hub, and from there to the agent.
import { duration, flag, identifier, number, oneOf, optional } from "./fields.ts";
import { cause, name, sentence } from "./frame-parts.ts";
import { outcomeNames } from "./outcomes.ts";
import { askMethods, logLevels } from "./words.ts";

export const progress = { id: identifier, progress: number, total: optional(number), message: optional(sentence) };
/** Payload: what was logged. */
export const log = { id: identifier, level: oneOf(logLevels), logger: optional(name) };
/** A question to the caller's user or model; payload: its parameters. */
export const ask = { id: identifier, ask: identifier, method: oneOf(askMethods) };
/** Payload: an MCP result, as the handler's page wrote it. */
export const result = { id: identifier, isError: optional(flag) };
/** The call ended without a result. */
export const failure = {
  id: identifier,
  outcome: oneOf(outcomeNames),
  ran: oneOf(["yes", "no", "maybe"]),
  code: cause,
  message: sentence,
  retryAfter: optional(duration),
};
