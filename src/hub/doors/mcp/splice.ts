// Embeds a page's answer in a JSON-RPC response without parsing it. The result comes first and the id last: of several
// ids in a message the last one counts, so hostile text cannot replace ours.
import type { CallRequest } from "../../../switchboard/index.ts";
import type { Payload } from "../../../wire/index.ts";
import { version } from "../../common/version.ts";

export const serverInfo = { name: "pagewire", title: "Pagewire", version } as const;

/** The start of a result in revision 2026-07-28: its required fields come before the page's own. */
const stateless = `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":${JSON.stringify({
  "io.modelcontextprotocol/serverInfo": serverInfo,
})},`;

/** The start of a response to a client without a session, up to its id; undefined if the answer must be parsed. */
export function spliceStateless(payload: Payload, { method }: CallRequest): readonly Payload[] | undefined {
  // A resource's contents need cache fields added.
  if (method === "resources/read") return undefined;
  if (!startsWithField(payload) || holds(payload, tooMuchWithMeta)) return undefined;
  const rest = typeof payload === "string" ? payload.slice(1) : payload.subarray(1);
  return [stateless, rest];
}

/** The start of a response to a client with a session, up to its id; undefined if the answer must be parsed. */
export function spliceInSession(payload: Payload): readonly Payload[] | undefined {
  if (!startsWithField(payload) || holds(payload, tooMuch)) return undefined;
  return ['{"jsonrpc":"2.0","result":', payload];
}

/**
 * Text that cannot be embedded unparsed: `method` would turn the response into a request; `resultType` is only valid in
 * results that the page marked as questions; structured content must be an object before 2026-07-28, and needs a text
 * beside it since then if it is not one; and escapes could hide one of these names. Honest names never contain escapes.
 */
const tooMuch = /method"|resultType"|structuredContent"(?!:\{)|\\u00/;
/** Some JSON parsers reject duplicate names. */
const tooMuchWithMeta = new RegExp(`${tooMuch.source}|_meta"`);

/** Whether it starts as every JSON serializer starts a non-empty object. */
function startsWithField(payload: Payload): boolean {
  return typeof payload === "string" ? payload.startsWith('{"') : payload[0] === 0x7b && payload[1] === 0x22;
}

const partBytes = 65_536;
/** Longer than the longest match, including its lookahead. */
const overlap = 32;

/** Whether the payload contains a match. Bytes are decoded in overlapping parts, because a full copy is expensive. */
function holds(payload: Payload, text: RegExp): boolean {
  if (typeof payload === "string") return text.test(payload);
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  for (let at = 0; at < bytes.length; at += partBytes) {
    if (text.test(bytes.toString("latin1", at, at + partBytes + overlap))) return true;
  }
  return false;
}
