import type { WindowTool } from "pagewire/agent-window";
import { showInvisible } from "pagewire/wire";

const most = 3;

/** Questions that the app's tools could answer: first those that only read, and those that need nothing more. */
export function suggestionsOf(tools: readonly WindowTool[]): readonly string[] {
  const ranked = tools.map((tool) => ({ text: suggestionOf(tool), rank: rankOf(tool) }));
  const texts = ranked.toSorted((one, other) => one.rank - other.rank).map(({ text }) => text);
  return [...new Set(texts)].slice(0, most);
}

function rankOf(tool: WindowTool): number {
  const isReading = tool.annotations?.readOnlyHint === true;
  const missing = requiredBy(tool).filter((name) => !isDays(name)).length;
  // What asks about a span shows most of what a tool can do.
  return (isReading ? 0 : 10) + missing * 2 + (takesDays(tool) ? 0 : 1);
}

const readingVerbs = ["get", "list", "read", "show", "fetch", "find", "search", "describe", "query"];

/** In the words of the tool's name: a model finds it by them. */
function suggestionOf(tool: WindowTool): string {
  const [first = "", ...rest] = wordsOf(tool.name);
  const span = takesDays(tool) ? " of the last 30 days" : "";
  if (readingVerbs.includes(first) && rest.length > 0) return `Show me the ${rest.join(" ")}${span}`;
  const title = showInvisible(tool.title?.trim() || wordsOf(tool.name).join(" "));
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1, 80)}${takesDays(tool) ? ": the last 30 days" : ""}`;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

function takesDays(tool: WindowTool): boolean {
  return Object.keys(propertiesOf(tool)).some(isDays);
}

function isDays(name: string): boolean {
  return /^days$/i.test(name);
}

function propertiesOf({ parameters }: WindowTool): object {
  return Object(parameters["properties"]) as object;
}

function requiredBy({ parameters }: WindowTool): readonly string[] {
  const { required } = parameters;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
