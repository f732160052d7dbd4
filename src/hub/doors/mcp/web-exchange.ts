// Between Node's HTTP and the web's Request and Response, which the MCP SDK takes and gives. Knows nothing of MCP.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import { onEnd } from "../../http/on-end.ts";
import { alwaysHeaders } from "../../http/respond.ts";

/** The bounds on a client that does not read its answer. */
export type SendLimits = Pick<Limits, "requestTime" | "queuedBytes">;

// The runtime lets go of a Request's signal with the Request, and then an abort reaches nobody who has only the signal.
const requestOf = new WeakMap<ServerResponse, Request>();

/**
 * A request that the guard let in, as the web knows it, without its body. Its signal aborts when the client goes away
 * before the answer was written whole. The same request is given the same one again.
 */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const known = requestOf.get(response);
  if (known) return known;
  const { method = "GET", url = "/" } = request;
  const { host = "localhost" } = request.headers;
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(request.headers)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  const gone = new AbortController();
  const made = new Request(`http://${host}${url}`, { method, headers, signal: gone.signal });
  requestOf.set(response, made);
  onEnd(response, (isSent) => {
    if (!isSent) gone.abort();
  });
  return made;
}

const unreadOf = new WeakMap<Request, () => number>();

/** How many bytes of the answer to this request its client has not been given yet; none when it is gone. */
export function unreadBytes(request: Request | undefined): number {
  return (request && unreadOf.get(request)?.()) ?? 0;
}

/**
 * Sends a web answer. Resolves when it was written whole or the client went away; rejects when the body fails, or with
 * `too-slow` when the client does not read it. The connection is cut off then, unless nothing was sent yet: `to` can
 * still be answered with an error.
 */
export async function sendWebResponse(response: Response, to: ServerResponse, limits: SendLimits): Promise<void> {
  const { body } = response;
  if (body === null || isGone(to) || to.req.method === "HEAD") {
    if (!isGone(to)) begin(response, to).end();
    return body?.cancel();
  }
  const reader = body.getReader();
  // Whoever makes the body knows what failed in it, and nobody waits for it any more.
  const cancel = () => void reader.cancel().catch(() => undefined);
  const stopListening = onEnd(to, cancel);
  try {
    await sendBody({ response, to, limits, reader });
  } catch (error) {
    cancel();
    if (to.headersSent) to.req.socket.destroy();
    throw error;
  } finally {
    stopListening();
    reader.releaseLock();
  }
}

interface Sending {
  readonly response: Response;
  readonly to: ServerResponse;
  readonly limits: SendLimits;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
}

async function sendBody({ response, to, limits, reader }: Sending): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    to.req.socket.destroy();
  };
  const { requestTime, queuedBytes } = limits;
  to.once("timeout", () => fail(tooSlow(`read nothing of its answer for ${requestTime} ms (limit requestTime)`)));

  const isEventStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isEventStream) begin(response, to).flushHeaders();
  const write = async (chunk: Uint8Array) => {
    if (isGone(to)) return;
    if (!to.headersSent) begin(response, to);
    if (!to.write(chunk)) await drained(to, requestTime);
  };
  let waitingBytes = 0;
  const request = requestOf.get(to);
  if (request) unreadOf.set(request, () => (isGone(to) ? 0 : waitingBytes + to.writableLength));
  let written = Promise.resolve();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || isGone(to)) break;
    if (waitingBytes > queuedBytes)
      fail(tooSlow(`left ${waitingBytes} bytes of its stream unread (limit queuedBytes)`));
    waitingBytes += value.byteLength;
    written = written
      .then(() => write(value))
      .then(() => void (waitingBytes -= value.byteLength))
      .catch(fail);
    // The SDK pushes its events whether they are taken or not: left in its stream, they would pile up without a bound.
    if (!isEventStream) await written;
  }
  await written;
  if (!isGone(to)) {
    if (!to.headersSent) begin(response, to);
    limitTime(to, requestTime);
    to.end();
    await new Promise<void>((resolve) => void onEnd(to, () => resolve()));
  }
  if (failures.length > 0) throw failures[0];
}

const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** Sets everything that comes before the body; it is sent along with the first bytes. */
function begin(response: Response, to: ServerResponse): ServerResponse {
  to.statusCode = response.status;
  for (const [name, value] of response.headers) if (!ofConnection.has(name)) to.appendHeader(name, value);
  // A proxy that compresses a stream of events holds them back.
  const whole = to.getHeader("cache-control")?.toString().includes("no-transform") ? ", no-transform" : "";
  for (const [name, value] of Object.entries(alwaysHeaders)) to.setHeader(name, value);
  to.setHeader("Cache-Control", `${alwaysHeaders["Cache-Control"]}${whole}`);
  return to;
}

/** Resolves when what was written is on its way or the client is gone, which it soon is if it reads nothing. */
async function drained(to: ServerResponse, requestTime: number): Promise<void> {
  limitTime(to, requestTime);
  await new Promise<void>((resolve) => {
    const stopListening = onEnd(to, () => resolve());
    to.once("drain", () => {
      stopListening();
      resolve();
    });
  });
  to.setTimeout(0);
}

/** Node counts this time anew whenever the client takes a part of what waits for it. */
function limitTime(to: ServerResponse, milliseconds: number): void {
  to.setTimeout(Math.min(Math.max(1, milliseconds), longestTime));
}

const longestTime = 2 ** 31 - 1;

function isGone(to: ServerResponse): boolean {
  return to.destroyed || to.req.socket.destroyed;
}

function tooSlow(what: string): PagewireError {
  return new PagewireError("too-slow", `The client ${what}.`);
}
