import type { SocketLike } from "../../link/index.ts";
import type { BindableLogger, ClientMessage, ClientTransport, ServerMessage, TransportClose } from "./messages.ts";

export interface WebSocketClientTransportOptions {
  /** Messages that may wait until the socket is open. 1024 when left out. */
  readonly maxPreOpenQueue?: number;
  readonly logger?: BindableLogger;
}

const OPEN = 1;

/** A client's transport over a WebSocket that is open, or still connecting. */
export class WebSocketClientTransport implements ClientTransport {
  readonly #socket: SocketLike;
  readonly #logger: BindableLogger;
  readonly #maxPreOpenQueue: number;
  readonly #early: string[] = [];

  constructor(socket: SocketLike, { maxPreOpenQueue = 1024, logger = console }: WebSocketClientTransportOptions = {}) {
    this.#socket = socket;
    this.#maxPreOpenQueue = maxPreOpenQueue;
    this.#logger = logger;
    socket.addEventListener("open", () => {
      for (const text of this.#early.splice(0)) socket.send(text);
    });
    // Without a listener `ws` would throw the error; the close that follows has the details.
    socket.addEventListener("error", () => {});
  }

  /** Throws when the socket is closed, or when too much waits for it to open. */
  send(message: ClientMessage): void {
    const { readyState } = this.#socket;
    if (readyState > OPEN) throw new Error("The WebSocket is closed.");
    const text = JSON.stringify(message);
    if (readyState === OPEN) return this.#socket.send(text);
    if (this.#early.push(text) > this.#maxPreOpenQueue) {
      this.#early.pop();
      throw new Error("Too much waits for the WebSocket to open (limit maxPreOpenQueue).");
    }
  }

  onMessage(handler: (message: ServerMessage) => void): void {
    this.#socket.addEventListener("message", ({ data }) => {
      let message: unknown;
      try {
        message = JSON.parse(data as string);
      } catch {
        return this.#logger.warn("A message that is not JSON was dropped.");
      }
      handler(message as ServerMessage);
    });
  }

  onClose(handler: (reason?: TransportClose) => void): void {
    this.#socket.addEventListener("close", handler as () => void);
  }

  /** Closes the socket. */
  dispose(): void {
    this.#socket.close();
  }
}
