// The floor of a list: stores each tab's offer unchanged, equal offers once, and returns them to every client.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Parameters, Started } from "../harness/role.ts";
import { listen } from "./listen.ts";

/** The floor's answer. */
export interface FloorList {
  /** How many tabs offer something. */
  readonly tabs: number;
  readonly offers: readonly (readonly { readonly name: string }[])[];
}

export function startFloorListHub({ port = 0 }: Parameters): Promise<Started> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const texts = new Map<string, string>();
  const offersOf = new Map<WebSocket, string[]>();

  sockets.on("connection", (socket) => {
    const offers: string[] = [];
    offersOf.set(socket, offers);
    socket.on("message", (data: Buffer) => {
      const text = data.toString();
      const offer = texts.get(text) ?? text;
      texts.set(offer, offer);
      offers.push(offer);
    });
    socket.on("close", () => offersOf.delete(socket));
  });

  server.on("request", (_, response) => {
    const offers = [...offersOf.values()].flat();
    const text = `{"tabs":${offers.length},"offers":[${[...new Set(offers)].join(",")}]}`;
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  });
  return listen(server, port);
}
