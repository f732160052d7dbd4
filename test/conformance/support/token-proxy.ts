// A proxy that adds a token to every request, because the suite cannot send one, and changes nothing else: Host and
// Origin stay as they were sent, both directions stream, and if one side disconnects, so does the other.
import { createServer, request as requestOf } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A running proxy. */
export interface TokenProxy {
  readonly port: number;
  /** Sets the target of all later requests, and the token that they get. */
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
  // A list preserves the names, order and number of the headers, Host included.
  const headers = [...rawHeaders, "Authorization", `Bearer ${token}`];
  // A new connection each time: the hub might close a kept one just when it is used again.
  const forwarded = requestOf({ host: "127.0.0.1", port, method, path, headers, agent: false });
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
