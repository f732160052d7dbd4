import type { PlannedCall, RehearsalRequest, RehearsalTurn } from "./request.ts";

/** Cuts the text where the request wants it cut, and counts. Calls are never cut. */
export function finishTurn(request: RehearsalRequest, text: string, calls: readonly PlannedCall[]): RehearsalTurn {
  const stops = request.stop.filter((stop) => stop !== "" && text.includes(stop));
  const [stoppedBy] = stops.toSorted((one, other) => text.indexOf(one) - text.indexOf(other));
  const said = stoppedBy === undefined ? text : text.slice(0, text.indexOf(stoppedBy));
  const most = (request.maxTokens ?? Infinity) * charactersPerToken;
  const isCut = calls.length === 0 && said.length > most;
  const kept = isCut ? said.slice(0, most).replace(/[\uD800-\uDBFF]$/, "") : said;
  const written = calls.map((call) => call.name + JSON.stringify(call.arguments)).join("");
  return {
    text: kept,
    calls,
    finish: calls.length > 0 ? "tool_use" : isCut ? "length" : "stop",
    ...(stoppedBy !== undefined && !isCut && { stoppedBy }),
    usage: { prompt: promptTokens(request), completion: tokensIn(kept + written) },
  };
}

/** What is taken for one token. */
const charactersPerToken = 4;

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

export function promptTokens({ system, messages, tools }: RehearsalRequest): number {
  const texts = messages.map((message) => {
    if (message.role === "tool") return message.results.map(({ text }) => text).join("");
    if (message.role === "user") return message.text + "image".repeat(message.images.length);
    return message.text + message.calls.map((call) => call.name + call.arguments).join("");
  });
  const declared = tools.map((tool) => tool.name + tool.description + JSON.stringify(tool.parameters));
  return Math.max(1, tokensIn([system, ...texts, ...declared].join("")));
}
