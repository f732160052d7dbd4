// One HTTP request and its response: the path, the body, JSON in parts, and the end of the response.
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PagewireError, maxJsonAtOnce } from "../../wire/index.ts";
import type { Arrival, Arrivals } from "../backpressure/arrivals.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Payload } from "../../wire/index.ts";

/** Headers of every response except files. */
export const alwaysHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

/** The delay in whole seconds after which a retry makes sense, if known. */
export function retryHeaders(retryAfter: number | undefined): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { "Retry-After": String(Math.ceil(retryAfter / 1000)) };
}

/** The path of a request, without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** The hub's URL as the client knows it; the guard has checked the host. A proxy that adds TLS says so in a header. */
export function addressIn({ headers, socket }: IncomingMessage): string {
  const scheme = "encrypted" in socket || headers["x-forwarded-proto"] === "https" ? "https" : "http";
  return `${scheme}://${headers.host ?? ""}`;
}

/** Refuses a body that is not declared as JSON, because any page's form could send it. */
export function checkJson({ headers }: Pick<IncomingMessage, "headers">, what: string): void {
  const { "content-type": type = "" } = headers;
  if (type === "application/json" || /^application\/json\s*(;|$)/i.test(type)) return;
  throw new PagewireError("request-malformed", `${what} must be sent as application/json.`);
}

/** How to read a body: its size limit, and the principal if large bodies may be paused. */
export interface BodyOptions {
  /** Null where the size is none of the hub's limits. */
  readonly limit?: "frameBytes" | "headerBytes" | null;
  readonly arrivals?: Arrivals | undefined;
  readonly whose?: Pick<Admitted, "principal" | "allowed">;
}

/** The whole body of a request; refuses one that is too large, without reading to its end, or that is not UTF-8. */
export function readBody(request: IncomingMessage, max: number, options: BodyOptions = {}): Promise<Buffer> {
  const { limit = "frameBytes", arrivals, whose = nobody } = options;
  return new Promise((resolve, reject) => {
    let arrival: Arrival | undefined;
    const settle = (body: Buffer | PagewireError) => {
      if (arrival) arrivals?.left(arrival);
      if (Buffer.isBuffer(body)) resolve(body);
      else reject(body);
    };
    const most = limit === null ? `${max} bytes, which is the most here` : `the limit ${limit} of ${max} bytes`;
    const refuse = () => settle(new PagewireError("body-too-large", `The body is larger than ${most}.`));
    if (Number(request.headers["content-length"]) > max) return refuse();
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > max) return refuse();
      chunks.push(chunk);
      if (length <= maxJsonAtOnce) return;
      arrival ??= arrivalOf(request, whose);
      arrival.bytes = length;
      arrivals?.grew(arrival);
    });
    request.on("end", () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      settle(isUtf8(body) ? body : new PagewireError("request-malformed", "The body is not UTF-8."));
    });
    request.on("error", (cause) => settle(new PagewireError("request-malformed", "The body ended early.", { cause })));
  });
}

const nobody = { principal: "" } as const;

function arrivalOf(request: IncomingMessage, { principal, allowed }: NonNullable<BodyOptions["whose"]>): Arrival {
  return {
    bytes: 0,
    principal,
    max: allowed?.arrivingBytesPerPrincipal,
    pause: () => request.pause(),
    resume: () => request.resume(),
    cut: () => request.destroy(),
  };
}

export interface PartedAnswer {
  readonly status: number;
  /** JSON in parts, which are sent unchanged. */
  readonly parts: readonly Payload[];
  readonly headers?: Readonly<Record<string, string>>;
}

// All names at once: adding names after a spread takes V8 twenty times as long.
const jsonHeaders = { ...alwaysHeaders, "Content-Type": "application/json", "Content-Length": 0 };

/** Responses up to this size are copied into one buffer, because each write costs more than the copy. */
const maxJoined = 65_536;

/** Responds with JSON. The parts of a large response are never concatenated. */
export function sendParts(response: ServerResponse, { status, parts, headers }: PartedAnswer): void {
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  response.writeHead(status, { ...jsonHeaders, "Content-Length": length, ...headers });
  if (length <= maxJoined) return void response.end(joined(parts, length));
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

/** As bytes: a text would be concatenated with the headers, and then encoded as a whole. */
function joined(parts: readonly Payload[], length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part !== "string") bytes.set(part, at);
    at += typeof part === "string" ? bytes.write(part, at) : part.length;
  }
  return bytes;
}

/**
 * Disconnects a client that does not read the rest of its response in time. Data in the system's buffers is still sent.
 */
export function limitReading(response: ServerResponse, milliseconds: number): void {
  if (response.writableLength > 0) response.setTimeout(milliseconds, () => response.destroy());
}

/**
 * Runs a function once when a response has ended, or at once if it already has, with whether all of it was sent.
 * Returns a function that cancels this.
 */
export function onEnd(to: ServerResponse, run: (isSent: boolean) => void): () => void {
  const { socket } = to.req;
  let forget: (() => void) | undefined;
  const stopListening = () => {
    to.off("close", end);
    forget?.();
  };
  const end = () => {
    stopListening();
    // After a reset, Node reports an unread response as finished.
    run(to.writableFinished && !socket.errored);
  };
  to.on("close", end);
  // Node emits no close event for a response that is queued behind another on its connection.
  if (!to.socket) forget = endsOn(socket).add(end);
  if (to.closed || socket.closed) end();
  return stopListening;
}

/**
 * Whether the client was still connected when a response was sent, once that is known: a disconnect before it may be read
 * after what the response says, until the end of this turn.
 */
export function whetherRead(
  { req: { socket } }: ServerResponse,
  isSent: boolean,
  run: (isRead: boolean) => void,
): void {
  if (isSent) setImmediate(() => run(!socket.readableEnded && !socket.errored));
  else run(false);
}

const endsOf = new WeakMap<Socket, TransientSet<() => void>>();

/** The functions to run when a connection ends, with one listener for any number of responses. */
function endsOn(socket: Socket): TransientSet<() => void> {
  const known = endsOf.get(socket);
  if (known) return known;
  const ends = createTransientSet<() => void>();
  endsOf.set(socket, ends);
  socket.on("close", () => {
    for (const end of ends.items()) end();
  });
  return ends;
}

/** A set of items that come and go with every request. */
export interface TransientSet<Item> {
  readonly size: number;
  /** Returns a function that removes the item; it can be called twice. */
  add(item: Item): () => void;
  /** The current items. */
  items(): readonly Item[];
}

/**
 * Not a Set, because it keeps deleted items alive: V8 links each outgrown table of a Set to the next one, and once one
 * of them is old, all their contents stay until the next full garbage collection.
 */
export function createTransientSet<Item>(): TransientSet<Item> {
  const places: { readonly item: Item; at: number }[] = [];
  return {
    get size() {
      return places.length;
    },
    add(item) {
      const place = { item, at: places.length };
      places.push(place);
      return () => {
        if (places[place.at] !== place) return;
        const last = places.pop();
        if (!last || last === place) return;
        last.at = place.at;
        places[last.at] = last;
      };
    },
    items: () => places.map(({ item }) => item),
  };
}
