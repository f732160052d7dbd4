// The cheapest HTTP client that there is, so that what is measured is the hub: one request at a time, written as one
// buffer that was made before, on one socket of node:net. It reads status and length, and nothing else.
import { connect } from "node:net";
import type { Socket } from "node:net";

/** A response. */
export interface HttpAnswer {
  readonly status: number;
  /** The body's chunks, in order. */
  readonly body: readonly Buffer[];
}

export interface HttpConnection {
  call(): Promise<HttpAnswer>;
  close(): void;
}

export interface HttpRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Digits in a header or the body that each call counts up by one, such as a JSON-RPC id. */
  readonly counter?: string;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Opens a connection that makes the same request again and again. */
export async function connectHttp(request: HttpRequest): Promise<HttpConnection> {
  const bytes = bytesOf(request);
  const count = counterIn(bytes, request.counter);
  const socket = await open(request.port);
  let head: Buffer = Buffer.alloc(0);
  let status = 0;
  let missing = 0;
  let body: Buffer[] = [];
  let waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined;

  const take = (chunk: Buffer) => {
    missing -= chunk.length;
    body.push(chunk);
    if (missing > 0) return;
    const done = waiting;
    waiting = undefined;
    done?.resolve({ status, body });
  };
  const fail = (error: Error) => waiting?.reject(error);

  socket.on("data", (chunk) => {
    if (missing > 0) return take(chunk);
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    const end = head.indexOf(headEnd);
    if (end < 0) return;
    ({ status, length: missing } = readHead(head.toString("latin1", 0, end)));
    const rest = head.subarray(end + headEnd.length);
    head = Buffer.alloc(0);
    body = [];
    take(rest);
  });
  socket.on("error", fail);
  const closed = () => new Error(`The hub on port ${request.port} closed the connection.`);
  socket.on("close", () => fail(closed()));

  return {
    call: () =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(closed());
        waiting = { resolve, reject };
        count();
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}

function bytesOf({ port, path, headers, body }: HttpRequest): Buffer {
  const all = { Host: `127.0.0.1:${port}`, ...headers, "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** Counts in place: a call's bytes are gone from the buffer's socket by the time that its answer is here. */
function counterIn(bytes: Buffer, counter: string | undefined): () => void {
  if (counter === undefined) return () => {};
  const at = bytes.lastIndexOf(counter);
  let next = Number(counter);
  return () => void bytes.write(String(next++), at, "latin1");
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

function readHead(head: string): { readonly status: number; readonly length: number } {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`The hub's answer does not say its length:\n${head}`);
  return { status: Number(head.slice(9, 12)), length: Number(length) };
}
