import type { AiTool } from "./types.ts";

/** The most characters that are kept, compared and shown of what a tool says of itself. */
const mostCharacters = 4096;

/** All that a tool says of itself, as a user reads it, up to 4,096 characters. */
export function toolText({ description, parameters, annotations = {} }: AiTool): string {
  const hints = Object.entries(annotations).map(([name, value]) => `\n${name}: ${JSON.stringify(value)}`);
  return `${description}\n\n${JSON.stringify(parameters, undefined, 2)}${hints.join("")}`.slice(0, mostCharacters);
}
