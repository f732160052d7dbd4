// Text of others is data, on a terminal and in a pipe that may end at one: what could move the cursor, change colours, turn
// or hide text is written by its number.
import { plainText, showInvisible } from "../../wire/index.ts";

export { plainText };

/** The text on one line, truncated to `max` characters. */
export function oneLine(text: string, max = Infinity): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, Math.max(0, max - 1)).join("")}…`;
}

/** A value as JSON that a terminal cannot take for commands, and that hides nothing. */
export function jsonText(value: unknown, indent?: number): string {
  return showInvisible(JSON.stringify(value, null, indent), jsonEscape);
}

function jsonEscape(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
