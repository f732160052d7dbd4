import { PagewireError, messageOf } from "../wire/index.ts";
import { systemClock } from "./clock.ts";
import type { Clock, Link } from "./link.ts";
import { createSocketLink } from "./socket.ts";
import type { SocketEvent, SocketLike, SocketLinkOptions } from "./socket.ts";

/** Options that only `ws` reads; browsers ignore a third argument. */
interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly perMessageDeflate: false;
}

/** The WebSocket class of a browser, of Node, or of the package `ws`. */
export type SocketClass = new (url: string, protocols?: string[], options?: SocketOptions) => SocketLike;

export interface ConnectSocketOptions extends SocketLinkOptions {
  readonly url: string;
  readonly WebSocket: SocketClass;
  readonly protocols?: readonly string[];
  /** Headers of the upgrade request. Only the WebSocket class of `ws` can send them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Timeout of the attempt, in milliseconds. */
  readonly timeout?: number;
}

const CONNECT_TIME = 10_000;

/** Opens a socket and resolves once it is open; rejects with `hub-unreachable` if that fails or times out. */
export async function connectSocket(options: ConnectSocketOptions): Promise<Link> {
  const socket = createSocket(options);
  const link = createSocketLink(socket, options);
  const failure = await openingOf(socket, options);
  if (failure === undefined) return link;
  link.close();
  throw unreachable(options.url, failure);
}

function createSocket({ url, WebSocket, protocols = [], headers }: ConnectSocketOptions): SocketLike {
  try {
    return new WebSocket(url, [...protocols], { perMessageDeflate: false, ...(headers && { headers }) });
  } catch (error) {
    throw isSyntaxError(error) ? invalid(url, error) : unreachable(url, error);
  }
}

/** Resolves with the error, or with undefined once the socket is open. */
async function openingOf(
  socket: SocketLike,
  { clock = systemClock, timeout = CONNECT_TIME }: ConnectSocketOptions,
): Promise<unknown> {
  let callOff = () => {};
  const failure = await new Promise<unknown>((resolve) => {
    callOff = clock.after(timeout, () => resolve(new Error(`there was no answer within ${timeout} milliseconds`)));
    socket.addEventListener("open", () => resolve(undefined));
    socket.addEventListener("error", (event) => resolve(errorOf(event)));
    socket.addEventListener("close", (event) => resolve(errorOf(event)));
  });
  callOff();
  return failure;
}

/** Browsers do not report why a socket failed; Node and `ws` do. */
function errorOf({ error, message, reason }: SocketEvent): unknown {
  return error ?? new Error(message || reason || "the connection failed");
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof Error && error.name === "SyntaxError";
}

function invalid(url: string, cause: unknown): PagewireError {
  const message = `A socket cannot be opened with the address "${url}" and these protocols: ${messageOf(cause)}`;
  return new PagewireError("options-invalid", message, { cause });
}

function unreachable(url: string, cause: unknown): PagewireError {
  const message = `No hub answers at ${url}: ${messageOf(cause)}. Start the hub there, or correct the address.`;
  return new PagewireError("hub-unreachable", message, { cause });
}
