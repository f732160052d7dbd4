import type { RequestId } from "./message.ts";

/** Nothing that JSON could refuse; an id that is written otherwise is not told. */
const id = String.raw`"id"\s*:\s*(?<id>"[^"\\\x00-\x1f]*"|-?(?:0|[1-9]\d*))`;
const version = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
/** What no string can look like: it begins where the message begins, with members that hold nothing else. */
const beginning = new RegExp(String.raw`^\s*\{\s*(?:(?:${version}|${id})\s*,\s*)*"method"\s*:`, "s");
/** The last brace of a message closes the message, so what stands before it is its own. */
const ending = new RegExp(String.raw`[,{]\s*${id}\s*(?:,\s*${version}\s*)?\}\s*$`, "s");

/** The id of a request of which no more is known than how it begins and ends; undefined where that does not tell. */
export function idOfLongRequest(begin: string, end: string): RequestId | undefined {
  const first = beginning.exec(begin);
  if (first === null) return undefined;
  const text = first.groups?.["id"] ?? ending.exec(end)?.groups?.["id"];
  return text === undefined ? undefined : (JSON.parse(text) as RequestId);
}
