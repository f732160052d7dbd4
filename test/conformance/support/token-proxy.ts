// A proxy that adds a token to every request, because the suite cannot send one, and changes nothing else: Host and
// Origin arrive as they were sent, both ways stream, and whoever goes away takes the other side along.
import { createServer, request as requestOf } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A running proxy. */
export interface TokenProxy {
  readonly port: number;
  /** Where requests go from now on, and the token that they are given. */
  forward(to: Destination): void;
  /** Cuts every connection. Can be called twice. */
  close(): Promise<void>;
}

interface Destination {
  /** A port of 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

/** Listens on a free port of 127.0.0.1. */
export async function startTokenProxy(): Promise<TokenProxy> {
  let destination: Destination | undefined;
  const server = createServer((request, response) => {
    if (destination === undefined) return void response.destroy();
    pass(request, response, destination);
  });
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

function pass(request: IncomingMessage, response: ServerResponse, { port, token }: Destination): void {
  const { method, url: path, rawHeaders } = request;
  // As a list, headers are sent with the names, the order and the number that they came with, Host included.
  const headers = [...rawHeaders, "Authorization", `Bearer ${token}`];
  // A connection of its own: one that is kept may be closed by the hub just when it is used again.
  const forwarded = requestOf({ host: "127.0.0.1", port, method, path, headers, agent: false });
  // A body's first part, and a stream's first event, may come long after the headers.
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
