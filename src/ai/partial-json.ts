// A string that may have no end, a bracket, a comma or a colon, or a number or word.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** The readable part of a string that may be cut off. */
const readable = /^"[^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*/is;

/**
 * The value of JSON text that may be incomplete, without the parts that are still unknown. Undefined if there is none.
 */
export function parsePartialJson(json: string): unknown {
  const closers: string[] = [];
  let isKey = false;
  let known = "";
  for (const { 0: token, index } of json.matchAll(tokens)) {
    const end = index + token.length;
    if (token === ":") {
      isKey = false;
    } else if (token === ",") {
      isKey = closers[0] === "}";
    } else if (/[[{}\]]/.test(token[0] ?? "")) {
      isKey = token === "{";
      if (token === "{" || token === "[") closers.unshift(isKey ? "}" : "]");
      else closers.shift();
      known = json.slice(0, end);
    } else if (!isKey) {
      // A number or a word at the very end may continue.
      if (token.startsWith('"')) known = `${json.slice(0, index)}${readable.exec(token)?.[0]}"`;
      else if (end < json.length) known = json.slice(0, end);
    }
    if (known !== "" && closers.length === 0) break;
  }
  try {
    return JSON.parse(known + closers.join(""));
  } catch {
    return undefined;
  }
}
