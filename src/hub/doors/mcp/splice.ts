// Puts a page's answer into a JSON-RPC response without reading it. The result comes first and the id last: whatever a
// hostile page's text holds, the last id of a message is the one that counts, and it is ours.
import type { CallRequest } from "../../../switchboard/index.ts";
import type { Payload } from "../../../wire/index.ts";
import { version } from "../../common/version.ts";

/** What this server calls itself. */
export const serverInfo = { name: "pagewire", title: "Pagewire", version } as const;

/** What revision 2026-07-28 wants in every result, before the page's own words. */
const stateless = `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":${JSON.stringify({
  "io.modelcontextprotocol/serverInfo": serverInfo,
})},`;

/** The beginning of a response to a client without a session, up to its id; undefined where the answer is better read first. */
export function spliceStateless(payload: Payload, { method }: CallRequest): readonly Payload[] | undefined {
  // What is read of a resource says how long it is good, too.
  if (method === "resources/read") return undefined;
  if (!startsWithField(payload) || holds(payload, tooMuchWithMeta)) return undefined;
  const rest = typeof payload === "string" ? payload.slice(1) : payload.subarray(1);
  return [stateless, rest];
}

/** The beginning of a response to a client with a session, up to its id; undefined where the answer is better read first. */
export function spliceInSession(payload: Payload): readonly Payload[] | undefined {
  if (!startsWithField(payload) || holds(payload, tooMuch)) return undefined;
  return ['{"jsonrpc":"2.0","result":', payload];
}

/**
 * What does not stand in a response unread. A `method` behind the result would make a request of the response; only
 * what the page marked as questions may say that it is something else than a complete result; before 2026-07-28 only an
 * object could be structured content, and since then what is none needs a text beside it; and no name may be hidden by
 * an escape, which honest names never are.
 */
const tooMuch = /method"|resultType"|structuredContent"(?!:\{)|\\u00/;
/** A name that comes twice in an object is refused by some readers of JSON. */
const tooMuchWithMeta = new RegExp(`${tooMuch.source}|_meta"`);

/** Whether this is written as any JSON writer would write an object that is not empty. */
function startsWithField(payload: Payload): boolean {
  return typeof payload === "string" ? payload.startsWith('{"') : payload[0] === 0x7b && payload[1] === 0x22;
}

const partBytes = 65_536;
/** More than the longest text that is looked for, and what follows it. */
const overlap = 32;

/** Whether a text is in it. Bytes are read part by part, each with the beginning of the next: a whole copy is dear. */
function holds(payload: Payload, text: RegExp): boolean {
  if (typeof payload === "string") return text.test(payload);
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  for (let at = 0; at < bytes.length; at += partBytes) {
    if (text.test(bytes.toString("latin1", at, at + partBytes + overlap))) return true;
  }
  return false;
}
