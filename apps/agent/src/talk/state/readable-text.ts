import { pageLimits, parseJson, showInvisible } from "pagewire/wire";

/** Arguments or a result as people read them: JSON with line breaks, and nothing in it that cannot be seen. */
export function readableText(text: string): string {
  return showInvisible(indented(text));
}

function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  // Line breaks and indentation of what is deeply nested would be far more than the text itself.
  const value = parseJson(text, pageLimits.jsonDepth);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}
