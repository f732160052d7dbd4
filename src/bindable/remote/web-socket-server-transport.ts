import { isJsonObject, messageOf, pageLimits, parseJson } from "../../wire/index.ts";
import type { BindableLogger, ClientMessage, ServerMessage, ServerTransport, TransportClose } from "./messages.ts";

type Listener = (...details: unknown[]) => void;

/** A server's WebSocket: one with the browser's events, or with those of `ws`. */
export interface ServerSocket {
  send(data: string): void;
  close?(code?: number, reason?: string): void;
  readonly readyState?: number;
  readonly bufferedAmount?: number;
  addEventListener?(type: "message" | "close" | "error", listener: (event: unknown) => void): void;
  removeEventListener?(type: "message" | "close" | "error", listener: (event: unknown) => void): void;
  on?(type: "message" | "close" | "error", listener: Listener): unknown;
  off?(type: "message" | "close" | "error", listener: Listener): unknown;
}

export interface WebSocketServerTransportOptions {
  readonly logger?: BindableLogger;
}

const OPEN = 1;
const CLOSED = 3;

/** Max bytes of a close reason. */
const MAX_REASON = 123;

/** A server's transport over a WebSocket that is open. */
export class WebSocketServerTransport implements ServerTransport {
  readonly #socket: ServerSocket;
  readonly #logger: BindableLogger;
  #undo: (() => void)[] = [];

  constructor(socket: ServerSocket, { logger = console }: WebSocketServerTransportOptions = {}) {
    this.#socket = socket;
    this.#logger = logger;
    // The close event that follows has the details; without a listener `ws` would throw the error.
    listen(socket, "error", () => {});
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount ?? 0;
  }

  send(message: ServerMessage): void {
    if ((this.#socket.readyState ?? OPEN) === OPEN) this.#socket.send(JSON.stringify(message));
  }

  onMessage(handler: (message: ClientMessage) => void): void {
    const stop = listen(this.#socket, "message", (given) => {
      const text = textOf(given);
      const message = text === undefined ? undefined : parseJson(text, pageLimits.jsonDepth);
      if (isJsonObject(message)) handler(message as unknown as ClientMessage);
      else this.#logger.warn("A message was dropped: it is not a JSON object, or nests too deep.");
    });
    this.#undo.push(stop);
  }

  onClose(handler: (reason?: TransportClose) => void): void {
    let isReported = false;
    const closed = (event: unknown) => {
      if (isReported) return;
      isReported = true;
      const { code = event } = Object(event) as { readonly code?: unknown };
      handler(typeof code === "number" ? { code } : {});
    };
    const stop = listen(this.#socket, "close", closed);
    this.#undo.push(stop);
    // A socket that closed while its core was made has had its event.
    if (this.#socket.readyState === CLOSED) queueMicrotask(() => closed({}));
  }

  close(code: number, reason: string): void {
    try {
      this.#socket.close?.(code, fit(reason));
    } catch (error) {
      this.#logger.warn(`A socket could not be closed: ${messageOf(error)}`);
    }
  }

  /** Stops listening. */
  dispose(): void {
    for (const step of this.#undo.splice(0)) step();
  }
}

/** Returns a function that removes the listener. */
function listen(
  socket: ServerSocket,
  type: "message" | "close" | "error",
  listener: (...details: unknown[]) => void,
): () => void {
  if (socket.addEventListener) {
    socket.addEventListener(type, listener);
    return () => socket.removeEventListener?.(type, listener);
  }
  socket.on?.(type, listener);
  return () => socket.off?.(type, listener);
}

/** The text of a message: an event's data, or the data itself, as text or as UTF-8 bytes. */
function textOf(given: unknown): string | undefined {
  const { data = given } = Object(given) as { readonly data?: unknown };
  if (typeof data === "string") return data;
  if (!(data instanceof ArrayBuffer) && !ArrayBuffer.isView(data)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data as ArrayBufferView<ArrayBuffer>);
  } catch {
    return undefined;
  }
}

function fit(reason: string): string {
  let fitted = reason.slice(0, MAX_REASON);
  while (new TextEncoder().encode(fitted).length > MAX_REASON) fitted = fitted.slice(0, -1);
  return fitted;
}
