import { pageLimits, parseJson, showInvisible } from "pagewire/wire";

/** Arguments or a result as people read them: JSON with line breaks, and nothing in it that cannot be seen. */
export function readableText(text: string): string {
  return showInvisible(indented(text));
}

function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  // The line breaks and indentation of deeply nested data would be much longer than the data.
  const value = parseJson(text, pageLimits.jsonDepth);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}
