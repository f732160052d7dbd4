// A proxy that sends each request to the next of several servers, as a load balancer does, and adds a token, because the
// conformance suite cannot send one. It changes nothing else: Host and Origin stay as they were sent, both directions stream,
// and if one side disconnects, so does the other.
import { createServer, request as requestOf } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A running proxy. */
export interface RequestProxy {
  readonly port: number;
  /** Sets the target of all later requests. */
  forward(to: Destination): void;
  /** Cuts every connection. Can be called twice. */
  close(): Promise<void>;
}

export interface Destination {
  /** Ports of 127.0.0.1, which take turns; a closed one is left out. */
  readonly ports: readonly number[];
  /** The token that requests get. */
  readonly token?: string;
}

/** Listens on a free port of 127.0.0.1. */
export async function startRequestProxy(): Promise<RequestProxy> {
  let destination: Destination = { ports: [] };
  let turn = 0;

  /** A new connection each time: the hub might close a kept one just when it is used again. */
  async function next(): Promise<Socket | undefined> {
    const { ports } = destination;
    for (let tries = 0; tries < ports.length; tries++) {
      const socket = await connected(ports[turn++ % ports.length] ?? 0);
      if (socket) return socket;
    }
    return undefined;
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = await next();
    if (socket) passOn({ request, response, token: destination.token, socket });
    else response.destroy();
  }

  async function passUpgrade(
    { method, url, rawHeaders }: IncomingMessage,
    client: Duplex,
    head: Buffer,
  ): Promise<void> {
    const socket = await next();
    if (!socket) return void client.destroy();
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
    socket.write(`${method} ${url} HTTP/1.1\r\n${lines}\r\n`);
    socket.write(head);
    client.pipe(socket).pipe(client);
    for (const side of [client, socket]) {
      side.on("error", () => {});
      side.on("close", () => (side === client ? socket : client).destroy());
    }
  }

  const server = createServer((request, response) => void pass(request, response));
  server.on("upgrade", (request, client, head) => void passUpgrade(request, client, head));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    forward(to) {
      destination = to;
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Undefined if the port is closed. */
function connected(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket)).on("error", () => resolve(undefined));
  });
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly token: string | undefined;
  readonly socket: Socket;
}

function passOn({ request, response, token, socket }: Passing): void {
  const { method, url: path, rawHeaders } = request;
  // A list preserves the names, order and number of the headers, Host included.
  const headers = token === undefined ? rawHeaders : [...rawHeaders, "Authorization", `Bearer ${token}`];
  const forwarded = requestOf({ method, path, headers, createConnection: () => socket });
  // The first part of a body, and the first event of a stream, may come long after the headers.
  forwarded.flushHeaders();
  const cut = (): void => void response.destroy();
  forwarded.on("error", cut);
  forwarded.on("response", (answer) => {
    const { statusCode = 502, statusMessage } = answer;
    response.writeHead(statusCode, statusMessage, answer.rawHeaders);
    response.flushHeaders();
    answer.on("error", cut).pipe(response);
  });
  response.on("close", () => forwarded.destroy());
  request.pipe(forwarded);
}
