// Finds a call's arguments in the request body, so that large ones are passed on as bytes without being re-serialized.
import type { Incoming } from "../../../mcp/index.ts";

/** The message with its arguments as the original bytes. */
export function withBytes(message: Incoming, bytes: Buffer): Incoming {
  return message.kind === "request" ? { ...message, arguments: rawArguments(bytes) } : message;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The bytes of `params.arguments` in a valid JSON message; of duplicate keys the last one counts, as in a parser.
 * Undefined if there are none, or if a key contains an escape, because it could then equal another key.
 */
export function rawArguments(body: Buffer): Buffer | undefined {
  let depth = 0;
  let isParams = false;
  /** The last string at the first two levels, and the last key. */
  let text: Buffer | undefined;
  let key: Buffer | undefined;
  let start = -1;
  let found: Buffer | undefined;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) {
      const end = endOfString(body, at);
      text = depth <= 2 ? body.subarray(at + 1, end) : undefined;
      at = end;
    } else if (byte === colon && depth <= 2) {
      key = text;
      if (key?.includes(backslash)) return undefined;
    } else if (byte === comma && depth <= 2) {
      key = undefined;
    } else if (byte === openObject || byte === openList) {
      depth++;
      if (depth === 2) {
        isParams = key?.equals(paramsKey) === true;
        if (isParams) found = undefined;
      }
      if (depth === 3) start = isParams && key?.equals(argumentsKey) === true ? at : -1;
    } else if (byte === closeObject || byte === closeList) {
      if (depth === 3 && start >= 0) found = body.subarray(start, at + 1);
      depth--;
    }
  }
  return found;
}

const paramsKey = Buffer.from("params");
const argumentsKey = Buffer.from("arguments");

/** The end of the string that starts here. A quote after an odd number of backslashes is part of the string. */
function endOfString(body: Buffer, start: number): number {
  let end = start;
  let first = start;
  do {
    end = body.indexOf(quote, end + 1);
    first = end;
    while (body[first - 1] === backslash) first--;
  } while ((end - first) % 2 === 1);
  return end < 0 ? body.length : end;
}
