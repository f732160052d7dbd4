// Puts a page's answer into a JSON-RPC response without reading it. The result comes first and the id last: whatever a
// hostile page's text holds, the last id of a message is the one that counts, and it is ours.
import type { Payload } from "../../../wire/index.ts";
import { serverInfo } from "./server-info.ts";

/** What revision 2026-07-28 wants in every result, before the page's own words. */
const stateless = `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":${JSON.stringify({
  "io.modelcontextprotocol/serverInfo": serverInfo,
})},`;

/** The response to a client without a session, in pieces; undefined where the answer is better read first. */
export function spliceStateless(payload: Payload, id: string): readonly Payload[] | undefined {
  // A name that comes twice in an object is refused by some readers of JSON.
  if (!isPlain(payload) || holds(payload, "", '_meta"')) return undefined;
  const rest = typeof payload === "string" ? payload.slice(1) : payload.subarray(1);
  return [stateless, rest, `,"id":${id}}`];
}

/** The response to a client with a session, in pieces; undefined where the answer is better read first. */
export function spliceInSession(payload: Payload, id: string): readonly Payload[] | undefined {
  if (!isPlain(payload)) return undefined;
  return ['{"jsonrpc":"2.0","result":', payload, `,"id":${id}}`];
}

/**
 * Whether this can stand in a response unread. A `method` behind the result would make a request of the response; only
 * what the page marked as questions may say that it is something else than a complete result; and no name may be
 * hidden by an escape, which honest names never are.
 */
function isPlain(payload: Payload): boolean {
  const saysTooMuch = holds(payload, "", 'method"') || holds(payload, "result", 'Type"') || holds(payload, "\\", "u00");
  return startsWithField(payload) && !saysTooMuch && !hasOddStructure(payload);
}

/** Whether this is written as any JSON writer would write an object that is not empty. */
function startsWithField(payload: Payload): boolean {
  return typeof payload === "string" ? payload.startsWith('{"') : payload[0] === 0x7b && payload[1] === 0x22;
}

/** Whether a text is in it. The end, which is searched for, begins with what is rare in JSON: each one stops a search. */
function holds(payload: Payload, start: string, end: string): boolean {
  const text = read(payload);
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) {
    if (text.slice(Math.max(0, at - start.length), at).toString() === start) return true;
  }
  return false;
}

const structureEnd = 'structuredContent"';

/** Before 2026-07-28 only an object could be structured content, and since then what is none needs a text beside it. */
function hasOddStructure(payload: Payload): boolean {
  const text = read(payload);
  for (let at = text.indexOf(structureEnd); at >= 0; at = text.indexOf(structureEnd, at + 1)) {
    const next = at + structureEnd.length;
    if (text.slice(next, next + 2).toString() !== ":{") return true;
  }
  return false;
}

/** Something that can be searched for text, without a copy. */
function read(payload: Payload): string | Buffer {
  return typeof payload === "string" ? payload : Buffer.from(payload.buffer, payload.byteOffset, payload.length);
}
