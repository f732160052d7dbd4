import { PagewireError, defaultLimits } from "../wire/index.ts";
import type { WindowTool } from "./tool-definition.ts";

/** Max names of tools in an error. */
const mostNames = 20;

export function toolNotFound(name: string, tools: readonly WindowTool[]): PagewireError {
  const names = tools.slice(0, mostNames).map((tool) => tool.name);
  if (tools.length > mostNames) names.push("…");
  const offered = names.length > 0 ? `It offers: ${names.join(", ")}.` : "It offers none.";
  return new PagewireError("tool-not-found", `The parent page offers no tool "${name}". ${offered}`);
}

export function tooLate(name: string, timeout: number): PagewireError {
  const message = `The parent page did not answer the call of "${name}" within ${timeout / 1000} seconds, and was asked to stop.`;
  return new PagewireError("deadline-exceeded", message);
}

export function cancelled(name: string): PagewireError {
  return new PagewireError("cancelled", `The call of "${name}" was cancelled.`);
}

/** The parent never received the call: it can be repeated. */
export function notDelivered(name: string, why: string): PagewireError {
  return new PagewireError("not-delivered", `The call of "${name}" was not given to the parent page: ${why}`);
}

/** The parent received the call, and its outcome is unknown. */
export function outcomeUnknown(name: string, why: string): PagewireError {
  const message = `It is not known how the call of "${name}" ended: ${why} Look at what it may have done before trying again.`;
  return new PagewireError("outcome-unknown", message);
}

export function tooMany(name: string): PagewireError {
  const message = `The call of "${name}" was not made: ${defaultLimits.callsPerTab} calls of the parent page are running, which is the limit callsPerTab.`;
  return new PagewireError("calls-too-many", message);
}

/** The page's origin is not allowed to offer tools. */
export function originRefused(name: string, origin: string): PagewireError {
  const message = `The call of "${name}" was not made: ${origin} is not allowed to be the parent page. Allow it with: pagewire allow ${origin}`;
  return new PagewireError("origin-not-allowed", message);
}

export function argumentsMalformed(name: string): PagewireError {
  const message = `The arguments for "${name}" are not a JSON object within the limits.`;
  return new PagewireError("arguments-malformed", message);
}
