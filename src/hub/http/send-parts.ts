import type { ServerResponse } from "node:http";
import type { Payload } from "../../wire/index.ts";
import { alwaysHeaders } from "./respond.ts";

export interface PartedAnswer {
  readonly status: number;
  /** JSON, in pieces that are sent as they are. */
  readonly parts: readonly Payload[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hangs up on a client that leaves what is left of its answer unread for so long. What is with the system already is sent. */
export function limitReading(response: ServerResponse, milliseconds: number): void {
  if (response.writableLength > 0) response.setTimeout(milliseconds, () => response.destroy());
}

// All names at once: V8 takes twenty times as long where more come after a spread.
const jsonHeaders = { ...alwaysHeaders, "Content-Type": "application/json", "Content-Length": 0 };

/** Answers a request with JSON that was never put together. */
export function sendParts(response: ServerResponse, { status, parts, headers }: PartedAnswer): void {
  const bytes = parts.every((part) => typeof part === "string") ? Buffer.from(parts.join("")) : undefined;
  const length = bytes ? bytes.length : parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  response.writeHead(status, { ...jsonHeaders, "Content-Length": length, ...headers });
  // Text would be put behind the headers, and then all of it encoded.
  if (bytes) return void response.end(bytes);
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}
