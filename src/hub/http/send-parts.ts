import type { ServerResponse } from "node:http";
import type { Payload } from "../../wire/index.ts";
import { alwaysHeaders } from "./respond.ts";

export interface PartedAnswer {
  readonly status: number;
  /** JSON, in pieces that are sent as they are. */
  readonly parts: readonly Payload[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request with JSON that was never put together. */
export function sendParts(response: ServerResponse, { status, parts, headers }: PartedAnswer): void {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  response.writeHead(status, {
    ...alwaysHeaders,
    "Content-Type": "application/json",
    "Content-Length": length,
    ...headers,
  });
  if (parts.every((part) => typeof part === "string")) return void response.end(parts.join(""));
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}
