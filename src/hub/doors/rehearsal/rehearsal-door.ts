// The rehearsal model over HTTP, at /rehearsal/<vendor>/…, in the wire formats of five APIs.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Credentials } from "../../guard/credentials.ts";
import type { Passed } from "../../guard/guard.ts";
import { alwaysHeaders, createRoster, limitReading, onEnd, readBody } from "../../http/exchange.ts";
import type { Door } from "../door.ts";
import type { Rehearsal } from "./create-rehearsal.ts";
import { defaultDelay, wait } from "./pace.ts";
import { refusedReply } from "./refused-reply.ts";
import type { Reply } from "./reply.ts";

export interface RehearsalDoor {
  /** How many requests have not been answered to their end. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Answers a request that the guard refused, in the vendor's own words. */
  refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void;
  /** Hangs up on callers whose credential no longer holds. */
  review(): void;
}

interface OpenAnswer {
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  readonly origin: string | undefined;
}

export interface RehearsalDoorOptions {
  readonly rehearsal: Rehearsal;
  /** Milliseconds between the pieces of a stream; a few when left out, so that one sees it stream. */
  readonly delay?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface RehearsalDoorParts extends Pick<Door, "limits" | "refusal" | "note">, Partial<Pick<Door, "arrivals">> {
  readonly credentials: Pick<Credentials, "isStillGood">;
}

const prefix = "/rehearsal";

export function createRehearsalDoor(
  { limits, credentials, refusal, note, arrivals }: RehearsalDoorParts,
  { rehearsal, delay = defaultDelay, now }: RehearsalDoorOptions,
): RehearsalDoor {
  const open = createRoster<OpenAnswer>();
  const failed = (failure: unknown) => note("error", "request-failed", { message: String(failure) });

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { admitted, origin }: Passed,
  ): Promise<void> {
    if (!admitted) throw new PagewireError("token-required", "The rehearsal model needs the hub's token.");
    onEnd(response, open.add({ response, admitted, origin }));
    letRead(response, origin);
    const { pathname, search } = placeOf(request);
    const { principal } = admitted;
    const body = (await readBody(request, limits.rehearsalBytes, { arrivals, whose: admitted })).toString();
    const stopping = refusal();
    if (stopping) throw new PagewireError("going-away", stopping.message ?? "The hub is stopping.");
    const caller = JSON.stringify([principal, origin, request.socket.remoteAddress]);
    const reply = await rehearsal.answer({
      method: request.method === "HEAD" ? "GET" : (request.method ?? ""),
      path: pathname,
      isAnywhere: false,
      query: search,
      headers: plainHeaders(request),
      body,
      at: now(),
      caller,
    });
    await send(response, reply, { delay, patience: limits.requestTime });
  }

  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const place = { path: placeOf(request).pathname, isAnywhere: false };
    const { status, type, parts, headers } = refusedReply(place, error, failed);
    const challenge = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
    const own = { "Content-Type": type, ...challenge, ...headers, Connection: "close" };
    response.writeHead(status, { ...alwaysHeaders, ...own });
    response.end(parts.join(""));
  }

  return {
    get open() {
      return open.size;
    },
    serve: async (request, response, passed) => {
      try {
        await serve(request, response, passed);
      } catch (error) {
        refuse(request, response, error);
      }
    },
    refuse,
    review() {
      for (const { response, admitted, origin } of open.items()) {
        if (!credentials.isStillGood(admitted, origin)) response.destroy();
      }
    },
  };
}

function placeOf({ url = "/" }: IncomingMessage): URL {
  const path = url.startsWith(prefix) ? url.slice(prefix.length) : url;
  return new URL(`http://hub${path.startsWith("/") ? path : `/${path}`}`);
}

/** The guard let the page's origin in, so the page may read what it is answered. */
function letRead(response: ServerResponse, origin: string | undefined): void {
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Vary", "Origin");
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value = ""]) => [name, [value].flat()[0] ?? ""]));
}

interface Sending {
  readonly delay: number;
  /** Milliseconds that a client may leave what it was sent unread. */
  readonly patience: number;
}

async function send(
  response: ServerResponse,
  { status, type, parts, headers }: Reply,
  { delay, patience }: Sending,
): Promise<void> {
  if (parts.length <= 1) {
    const [text = ""] = parts;
    const length = Buffer.byteLength(text);
    response.writeHead(status, { ...alwaysHeaders, "Content-Type": type, ...headers, "Content-Length": length });
    response.end(text);
    return limitReading(response, patience);
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.writeHead(status, { ...alwaysHeaders, "Content-Type": type, "X-Accel-Buffering": "no" });
  for (const part of parts) {
    await wait(delay, gone.signal);
    if (gone.signal.aborted) return;
    if (!response.write(part)) await drained(response, gone.signal, patience);
  }
  response.end();
  limitReading(response, patience);
}

/** Waits until what was written has been read, or nobody will; hangs up on a client that reads nothing for too long. */
function drained(response: ServerResponse, signal: AbortSignal, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), patience);
    const done = () => {
      clearTimeout(timer);
      response.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.on("drain", done);
    signal.addEventListener("abort", done);
  });
}
