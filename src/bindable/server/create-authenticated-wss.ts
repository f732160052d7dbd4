import { once } from "node:events";
import { WebSocketServer } from "ws";
import type { ServerOptions } from "ws";
import { chooseProtocol } from "./extract-token.ts";
import { handleConnection, tokenOptions } from "./handle-connection.ts";
import type { AuthenticatedConnectionOptions } from "./handle-connection.ts";
import { expectationOf } from "./verify-auth0-token.ts";

/** What `ws` is told as well: where to listen, above all. With neither `port` nor `server`, give it upgrades yourself. */
export interface AuthenticatedWSSOptions
  extends
    AuthenticatedConnectionOptions,
    Pick<ServerOptions, "port" | "host" | "path" | "server" | "noServer" | "maxPayload" | "backlog"> {}

const largestMessage = 16 * 1024 * 1024;

/** A WebSocket server that only lets in whom it knows. Resolves once it listens. */
export async function createAuthenticatedWSS(options: AuthenticatedWSSOptions): Promise<WebSocketServer> {
  expectationOf(tokenOptions(options));
  const { port, host, path, server, backlog, maxPayload = largestMessage } = options;
  const noServer = port === undefined && server === undefined;
  const sockets = new WebSocketServer({
    ...(noServer ? { noServer } : { port, host, server, backlog }),
    ...(path !== undefined && { path }),
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: chooseProtocol,
  });
  sockets.on("connection", (socket, request) => void handleConnection(socket, request, options));
  if (port !== undefined) await once(sockets, "listening");
  return sockets;
}
