import type { Readable } from "node:stream";
import { PagewireError } from "../../wire/index.ts";
import { parseCredential } from "./credential-text.ts";
import type { Attributes } from "./credential-text.ts";

/** Git's own lines are shorter than 64 KiB, and few. */
const MOST_BYTES = 256 * 1024;

/** Reads what git writes: to a blank line, which ends it where a person types it, or to the end. */
export async function readCredential(stdin: Readable): Promise<Attributes> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin as AsyncIterable<Buffer | string>) {
    const chunk = Buffer.from(part);
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new PagewireError("input-invalid", "What git says does not end.");
    if (hasEnded(Buffer.concat(parts))) break;
  }
  return parseCredential(textOf(Buffer.concat(parts)));
}

function hasEnded(bytes: Buffer): boolean {
  return bytes[0] === NEWLINE || bytes.includes("\n\n");
}

const NEWLINE = 0x0a;

/** Other bytes would reach the tab, and come back, as something else. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new PagewireError("input-invalid", "What git says is not UTF-8.", { cause: error });
  }
}
