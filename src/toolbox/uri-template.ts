// URI templates of RFC 6570, level 1: text with {variable} parts. Templates and URIs may come from strangers,
// so neither becomes a regular expression and matching never goes back.
import type { TextValues } from "./definitions.ts";

/** The values of a template's variables in a URI, or undefined where the URI is not one of the template's. */
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

/** Text and variable names in turn, beginning and ending with a text. */
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
