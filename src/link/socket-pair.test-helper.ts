import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/** A WebSocket server on a free port, and a function that connects to it. */
export interface SocketServer {
  readonly port: number;
  readonly url: string;
  readonly server: WebSocketServer;
  /** The two ends of a new connection, both open. */
  pair(): Promise<{ client: WebSocket; accepted: WebSocket }>;
  close(): Promise<void>;
}

/** Starts a server of the package `ws`. */
export async function startSocketServer(): Promise<SocketServer> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/`;
  return {
    port,
    url,
    server,
    async pair() {
      const connection = once(server, "connection") as Promise<[WebSocket]>;
      const client = new WebSocket(url, { perMessageDeflate: false });
      const [[accepted]] = await Promise.all([connection, once(client, "open")]);
      return { client, accepted };
    },
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
