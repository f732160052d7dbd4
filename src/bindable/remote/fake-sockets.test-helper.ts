import type { SocketEvent } from "../../link/index.ts";
import type { BindableLogger, ClientMessage, ServerMessage } from "./messages.ts";

type Listener = (event: SocketEvent) => void;

/** One end of a WebSocket in memory, with the browser's events. */
export class FakeSocket {
  readyState = 0;
  bufferedAmount = 0;
  binaryType = "blob";
  readonly sent: string[] = [];
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #deliver: (data: string) => void;
  readonly #closed: (code: number, reason: string) => void;

  constructor(deliver: (data: string) => void, closed: (code: number, reason: string) => void) {
    this.#deliver = deliver;
    this.#closed = closed;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.readyState !== 1) return;
    this.sent.push(data as string);
    this.#deliver(data as string);
  }

  close(code = 1000, reason = ""): void {
    this.#closed(code, reason);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  emit(event: SocketEvent): void {
    for (const listener of [...(this.#listeners.get(event.type) ?? [])]) listener(event);
  }
}

export interface FakeSockets {
  readonly client: FakeSocket;
  readonly server: FakeSocket;
  /** Breaks it silently; messages in flight are lost. */
  cut(): void;
  open(): void;
}

/** A WebSocket of which both ends are here. Messages arrive in microtasks; `frames` decides whether the next one gets through. */
export function createFakeSockets(frames: () => boolean = () => true): FakeSockets {
  let isUp = true;
  const towards = (other: () => FakeSocket) => (data: string) =>
    queueMicrotask(() => {
      if (!isUp) return;
      if (frames()) other().emit({ type: "message", data });
      else end(1006, "");
    });
  const end = (code: number, reason: string) => {
    if (!isUp) return;
    isUp = false;
    for (const each of [client, server]) {
      each.readyState = 3;
      queueMicrotask(() => each.emit({ type: "close", code, reason }));
    }
  };
  // A close comes after what was sent before it.
  const close = (code: number, reason: string) => queueMicrotask(() => queueMicrotask(() => end(code, reason)));
  const client: FakeSocket = new FakeSocket(
    towards(() => server),
    close,
  );
  const server: FakeSocket = new FakeSocket(
    towards(() => client),
    close,
  );
  server.readyState = 1;
  return {
    client,
    server,
    cut: () => end(1006, ""),
    open() {
      client.readyState = 1;
      client.emit({ type: "open" });
    },
  };
}

/** A transport whose other end is played by hand. */
function createHandTransport<Out, In>() {
  let hear: (message: In) => void = () => {};
  let tellClosed: () => void = () => {};
  const sent: Out[] = [];
  const hand = {
    sent,
    disposed: 0,
    bufferedAmount: 0,
    closedWith: undefined as { readonly code: number; readonly reason: string } | undefined,
    failing: false,
    send(message: Out) {
      if (hand.failing) throw new Error("broken");
      sent.push(structuredClone(message));
    },
    onMessage(handler: (message: In) => void) {
      hear = handler;
    },
    onClose(handler: () => void) {
      tellClosed = handler;
    },
    dispose() {
      hand.disposed++;
    },
    close(code: number, reason: string) {
      hand.closedWith = { code, reason };
      tellClosed();
    },
    /** The other end sends something, sound or not. */
    give: (message: unknown) => hear(message as In),
    end: () => tellClosed(),
    /** The messages since the last look. */
    take: () => sent.splice(0),
  };
  return hand;
}

/** For a client under test: a server played by hand. */
export const createHandServer = () => createHandTransport<ClientMessage, ServerMessage>();

/** For a shell under test: a client played by hand. */
export const createHandClient = () => createHandTransport<ServerMessage, ClientMessage>();

/** Lets every microtask run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function createLogger(): BindableLogger & { readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, warn: (line) => void lines.push(line), error: (line) => void lines.push(line) };
}
