// One HTTP request and its answer: the path, the body, the parts of an answer in JSON, and how it ended.
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PagewireError, maxJsonAtOnce } from "../../wire/index.ts";
import type { Arrival, Arrivals } from "../backpressure/arrivals.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Payload } from "../../wire/index.ts";

/** Headers of every answer that is not a file. */
export const alwaysHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

/** When another try makes sense, in whole seconds, where that is known. */
export function retryHeaders(retryAfter: number | undefined): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { "Retry-After": String(Math.ceil(retryAfter / 1000)) };
}

/** The path of a request, without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** Refuses a request whose body is not said to be JSON: a form of any page could send it. */
export function checkJson({ headers }: Pick<IncomingMessage, "headers">, what: string): void {
  const { "content-type": type = "" } = headers;
  if (type === "application/json" || /^application\/json\s*(;|$)/i.test(type)) return;
  throw new PagewireError("request-malformed", `${what} must be sent as application/json.`);
}

/** How a body is read: within which limit, and for whom where large ones are to wait their turn. */
export interface BodyOptions {
  readonly limit?: "frameBytes" | "headerBytes";
  readonly arrivals?: Arrivals | undefined;
  readonly whose?: Pick<Admitted, "principal" | "allowed">;
}

/** The whole body of a request; refuses one that is larger than a limit before it is read to its end, or not UTF-8. */
export function readBody(request: IncomingMessage, most: number, options: BodyOptions = {}): Promise<Buffer> {
  const { limit = "frameBytes", arrivals, whose = nobody } = options;
  return new Promise((resolve, reject) => {
    let arrival: Arrival | undefined;
    const settle = (body: Buffer | PagewireError) => {
      if (arrival) arrivals?.left(arrival);
      if (Buffer.isBuffer(body)) resolve(body);
      else reject(body);
    };
    const refuse = () =>
      settle(new PagewireError("body-too-large", `The body is larger than the limit ${limit} of ${most} bytes.`));
    if (Number(request.headers["content-length"]) > most) return refuse();
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) return refuse();
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
    most: allowed?.arrivingBytesPerPrincipal,
    pause: () => request.pause(),
    resume: () => request.resume(),
    cut: () => request.destroy(),
  };
}

export interface PartedAnswer {
  readonly status: number;
  /** JSON, in pieces that are sent as they are. */
  readonly parts: readonly Payload[];
  readonly headers?: Readonly<Record<string, string>>;
}

// All names at once: V8 takes twenty times as long where more come after a spread.
const jsonHeaders = { ...alwaysHeaders, "Content-Type": "application/json", "Content-Length": 0 };

/** Answers of up to this size are copied into one buffer: each write costs more than that. */
const maxJoined = 65_536;

/** Answers a request with JSON, of which large parts are never put together. */
export function sendParts(response: ServerResponse, { status, parts, headers }: PartedAnswer): void {
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  response.writeHead(status, { ...jsonHeaders, "Content-Length": length, ...headers });
  if (length <= maxJoined) return void response.end(joined(parts, length));
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

/** As bytes: text would be put behind the headers, and then all of it encoded. */
function joined(parts: readonly Payload[], length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part !== "string") bytes.set(part, at);
    at += typeof part === "string" ? bytes.write(part, at) : part.length;
  }
  return bytes;
}

/** Hangs up on a client that leaves what is left of its answer unread for so long. What is with the system already is sent. */
export function limitReading(response: ServerResponse, milliseconds: number): void {
  if (response.writableLength > 0) response.setTimeout(milliseconds, () => response.destroy());
}

/**
 * Runs once when an answer has ended, and at once when it has already, with whether all of it was sent. Returns a function
 * that stops it.
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
    // After a reset Node calls an answer finished that nobody read.
    run(to.writableFinished && !socket.errored);
  };
  to.on("close", end);
  // Node emits no close for an answer that waits behind another on its connection.
  if (!to.socket) forget = endsOn(socket).add(end);
  if (to.closed || socket.closed) end();
  return stopListening;
}

const endsOf = new WeakMap<Socket, Roster<() => void>>();

/** What runs when a connection ends, with one listener however many answers wait on it. */
function endsOn(socket: Socket): Roster<() => void> {
  const known = endsOf.get(socket);
  if (known) return known;
  const ends = createRoster<() => void>();
  endsOf.set(socket, ends);
  socket.on("close", () => {
    for (const end of ends.items()) end();
  });
  return ends;
}

/** Everything of one kind that is there now, where items come and go with every request. */
export interface Roster<Item> {
  readonly size: number;
  /** Returns a function that removes the item again, and that can be called twice. */
  add(item: Item): () => void;
  /** All items at the moment. */
  items(): readonly Item[];
}

/**
 * A Set would not let go of what was deleted: V8 links each table that a Set has outgrown, with all that was in it, to
 * the next one, and once one of them is old, all of that stays until the next full garbage collection.
 */
export function createRoster<Item>(): Roster<Item> {
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
