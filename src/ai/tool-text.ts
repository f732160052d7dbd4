import type { AiTool } from "./types.ts";

/** Max length of a tool's text when it is stored, compared and shown. */
const mostCharacters = 4096;

/** A tool's title, description and schema as a user reads them, up to 4,096 characters. */
export function toolText({ description, parameters, annotations = {} }: AiTool): string {
  const hints = Object.entries(annotations).map(([name, value]) => `\n${name}: ${JSON.stringify(value)}`);
  return `${description}\n\n${JSON.stringify(parameters, undefined, 2)}${hints.join("")}`.slice(0, mostCharacters);
}
