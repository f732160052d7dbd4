// Puts a page's answer into a JSON-RPC response without reading it. The result comes first and the id last: whatever a
// hostile page's text holds, the last id of a message is the one that counts, and it is ours.
import type { Payload } from "../../../wire/index.ts";
import { serverInfo } from "./server-info.ts";

/** What revision 2026-07-28 wants in every result, before the page's own words; where those say it too, they count. */
const stateless = `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":${JSON.stringify({
  "io.modelcontextprotocol/serverInfo": serverInfo,
})},`;

/** The response to a client without a session, in pieces; undefined where the answer is better read first. */
export function spliceStateless(payload: Payload, id: string): readonly Payload[] | undefined {
  if (!startsWithField(payload)) return undefined;
  const rest = typeof payload === "string" ? payload.slice(1) : payload.subarray(1);
  return [stateless, rest, `,"id":${id}}`];
}

/** The response to a client with a session, in pieces; undefined where the answer is better read first. */
export function spliceInSession(payload: Payload, id: string): readonly Payload[] | undefined {
  if (!startsWithField(payload) || hasOddStructure(payload)) return undefined;
  return ['{"jsonrpc":"2.0","result":', payload, `,"id":${id}}`];
}

/** Whether this is written as any JSON writer would write an object that is not empty. */
function startsWithField(payload: Payload): boolean {
  return typeof payload === "string" ? payload.startsWith('{"') : payload[0] === 0x7b && payload[1] === 0x22;
}

const structure = '"structuredContent":';

/** Before 2026-07-28 only an object could be structured content. */
function hasOddStructure(payload: Payload): boolean {
  const text = typeof payload === "string" ? payload : Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const at = text.indexOf(structure);
  if (at < 0) return false;
  const next = text[at + structure.length];
  return next !== "{" && next !== 0x7b;
}
