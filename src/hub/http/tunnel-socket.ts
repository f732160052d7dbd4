// One end of a connection that another hub passes on: bytes in both directions, with a window, over messages of any kind.
import { Duplex } from "node:stream";
import type { IncomingMessage } from "node:http";

/** The messages of an end to the other. */
export interface TunnelSender {
  bytes(chunk: Uint8Array): void;
  /** So many bytes were read since the last time. */
  taken(count: number): void;
  /** No more bytes follow. */
  finish(): void;
  /** The connection is over in both directions. */
  cut(): void;
}

/** The bytes that an end sends before the other has read any. */
export const tunnelWindow = 256 * 1024;
const chunkBytes = 64 * 1024;
const ackBytes = tunnelWindow / 4;

export class TunnelSocket extends Duplex {
  /** The hub at the other end. */
  readonly hub: string;
  /** For servers that ask: the connection between hubs counts as one that others cannot read. */
  readonly encrypted = true;
  /** All bytes that came, as of a net.Socket: a peer that sends none is given up. */
  bytesRead = 0;
  readonly #sender: TunnelSender;
  #room = tunnelWindow;
  #unread = 0;
  /** The write that waits for room. */
  #waiting: (() => void) | undefined;
  #idleTime = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(hub: string, sender: TunnelSender) {
    super({ allowHalfOpen: true, autoDestroy: true, emitClose: true });
    this.hub = hub;
    this.#sender = sender;
  }

  /** Bytes of the other end. */
  receive(bytes: Uint8Array): void {
    this.#touch();
    this.#unread += bytes.length;
    this.bytesRead += bytes.length;
    if (this.#unread > tunnelWindow)
      return void this.destroy(new Error("The other hub sent more than there is room for."));
    this.push(bytes);
  }

  /** The other end has read this number of bytes. */
  gainRoom(count: number): void {
    this.#touch();
    this.#room = Math.min(tunnelWindow, this.#room + count);
    this.#waiting?.();
  }

  finished(): void {
    this.push(null);
  }

  /** Closes after this time without bytes, as a net.Socket does. */
  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    this.#idleTime = milliseconds;
    if (onTimeout) this.once("timeout", onTimeout);
    this.#touch();
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  override _read(): void {
    if (this.#unread < ackBytes) return;
    this.#sender.taken(this.#unread);
    this.#unread = 0;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#touch();
    let at = 0;
    const go = () => {
      this.#waiting = undefined;
      while (at < chunk.length && this.#room > 0) {
        const part = chunk.subarray(at, at + Math.min(chunkBytes, this.#room));
        at += part.length;
        this.#room -= part.length;
        this.#sender.bytes(part);
      }
      if (at < chunk.length) this.#waiting = go;
      else done();
    };
    go();
  }

  override _final(done: () => void): void {
    this.#sender.finish();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idle);
    this.#waiting = undefined;
    this.#sender.cut();
    done(error);
  }

  #touch(): void {
    clearTimeout(this.#idle);
    if (this.#idleTime > 0 && !this.destroyed)
      this.#idle = setTimeout(() => this.emit("timeout"), this.#idleTime).unref();
  }
}

/** The header in which a hub that passes a request on names its client. */
const clientHeader = "x-pagewire-client";

/** The header in which it says that the request is of a page of its own. */
const ownHeader = "x-pagewire-own";

/** Headers that no client may send, as only hubs know it of each other. */
export const hubHeaders: readonly string[] = [clientHeader, ownHeader];

/** A hub's words about a request that it passes on. */
export function aboutPassed({ client, isOwn }: PassedAbout): Readonly<Record<string, string>> {
  return { [clientHeader]: client, ...(isOwn && { [ownHeader]: "1" }) };
}

export interface PassedAbout {
  /** The client's address. */
  readonly client: string;
  /** Whether it is of a page of the hub's own. */
  readonly isOwn: boolean;
}

/** Whether the hub that has passed a request on has found its origin to be its own: hubs may have different names. */
export function isPassedOwn(request: IncomingMessage): boolean {
  return passedFor(request) !== undefined && request.headers[ownHeader] !== undefined;
}

/** The client of a request that another hub passes on; undefined for one that arrived here. */
export function passedFor({ socket, headers }: IncomingMessage): string | undefined {
  return (socket as unknown) instanceof TunnelSocket ? String(headers[clientHeader] ?? "") : undefined;
}
