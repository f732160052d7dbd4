// URI templates of RFC 6570, level 1: text with {variable} parts. Templates and URIs are untrusted, so matching uses no
// regular expressions and never backtracks.
import type { TextValues } from "./definitions.ts";

/** Matches a URI against a template: the values of the variables, or undefined. */
export function matchUriTemplate(template: string, uri: string): TextValues | undefined {
  const [start = "", ...rest] = partsOf(template);
  if (!uri.startsWith(start)) return undefined;
  let at = start.length;
  const values: [string, string][] = [];
  for (let index = 0; index < rest.length; index += 2) {
    const text = rest[index + 1] ?? "";
    const isLast = index + 2 === rest.length;
    const end = isLast ? uri.length - text.length : uri.indexOf(text, at + 1);
    const value = decode(uri.slice(at, end));
    if (end <= at || value === undefined || !uri.startsWith(text, end)) return undefined;
    values.push([rest[index] ?? "", value]);
    at = end + text.length;
  }
  return at === uri.length ? Object.fromEntries(values) : undefined;
}

/** Alternating text and variable names, starting and ending with text. */
function partsOf(template: string): string[] {
  return template.split(/\{(\w+)\}/);
}

function decode(value: string): string | undefined {
  if (/[/?#]/.test(value)) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
