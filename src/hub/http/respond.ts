import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { PagewireError } from "../../wire/index.ts";
import type { ErrorCode } from "../../wire/index.ts";
import { plainChallenge } from "./challenge.ts";
import type { Challenge } from "./challenge.ts";
import { alwaysHeaders, retryHeaders } from "./exchange.ts";

export interface TextAnswer {
  readonly text: string;
  readonly status?: number;
  readonly type?: string;
}

export function respondText(response: ServerResponse, { text, status = 200, type = "text/plain" }: TextAnswer): void {
  response.writeHead(status, {
    ...alwaysHeaders,
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

export function respondRedirect(response: ServerResponse, to: string): void {
  response.writeHead(302, { ...alwaysHeaders, Location: to, "Content-Length": 0 }).end();
}

export function respondNothing(response: ServerResponse): void {
  response.writeHead(204, alwaysHeaders).end();
}

const statusOfCode: Partial<Record<ErrorCode, number>> = {
  "host-refused": 421,
  "origin-not-allowed": 403,
  "token-required": 401,
  "token-invalid": 401,
  "token-expired": 401,
  "address-refused": 403,
  "option-refused": 403,
  "code-invalid": 401,
  "scope-needed": 403,
  "admin-needed": 403,
  "identity-unavailable": 503,
  "route-not-found": 404,
  "tab-not-found": 404,
  "session-not-found": 404,
  "conversation-not-found": 404,
  "terminal-not-found": 404,
  "method-not-allowed": 405,
  "tab-replaced": 409,
  "tab-disconnected": 409,
  "ask-failed": 409,
  "body-too-large": 413,
  "request-malformed": 400,
  "offers-too-many": 400,
  "offers-too-large": 429,
  "schema-invalid": 400,
  "schema-too-large": 400,
  "name-invalid": 400,
  "windows-too-many": 429,
  "requests-too-many": 429,
  "sockets-too-many": 503,
  "going-away": 503,
  "terminals-too-many": 429,
  "terminal-unavailable": 503,
  "model-missing": 503,
  "bus-unavailable": 503,
  "calls-too-many": 429,
  "quota-exceeded": 429,
  "not-saved": 503,
};

export function statusOf(error: unknown): number {
  return (PagewireError.isInstance(error) && statusOfCode[error.code]) || 500;
}

/** Internal errors are not described to clients. */
function errorText(error: unknown): string {
  const known = { code: "internal-error", message: "Something failed inside the hub." };
  const { code, message } = PagewireError.isInstance(error) ? error : known;
  return JSON.stringify({ error: { code, message } });
}

export function respondError(response: ServerResponse, error: unknown, challenge = plainChallenge): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const text = errorText(error);
  response.writeHead(statusOf(error), {
    ...alwaysHeaders,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...challenge(error),
    ...(PagewireError.isInstance(error) ? retryHeaders(error.retryAfter) : {}),
    Connection: "close",
  });
  response.end(text);
}

/** How long a refused peer may take to read the answer, in milliseconds. */
const refusalTime = 1000;

/** Answers a refused upgrade, for programs: a browser only tells its page that it failed. */
export function refuseUpgrade(socket: Duplex, error: unknown, challenge?: Challenge): void {
  // A peer that keeps its side open, or does not read, must not hold the socket.
  socket.once("finish", () => socket.destroy());
  setTimeout(() => socket.destroy(), refusalTime).unref();
  const text = errorText(error);
  const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}`;
  const more = Object.entries(challenge?.(error) ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusOf(error)} Refused\r\nConnection: close\r\n${more.join("")}${type}\r\n\r\n${text}`);
}
