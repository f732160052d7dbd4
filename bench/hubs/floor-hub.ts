// The floor: the least code that does the job. Read the body, prefix an id, one send, splice the answer; no JSON, no guards.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { idLength } from "../pages/floor-id.ts";
import type { Started } from "../harness/role.ts";
import { listen } from "./listen.ts";

export function startFloorHub(): Promise<Started> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const offers = new Map<string, string>();
  const offerOf = new Map<WebSocket, string>();
  const waiting = new Map<string, ServerResponse>();
  let target: WebSocket | undefined;
  let count = 0;

  server.on("request", (request, response) => {
    const body: Buffer[] = [];
    request.on("data", (chunk: Buffer) => body.push(chunk));
    request.on("end", () => {
      if (!target) return void response.writeHead(503, { "Content-Length": 0 }).end();
      const id = (count++ >>> 0).toString(16).padStart(idLength, "0");
      waiting.set(id, response);
      target.send(Buffer.concat([Buffer.from(id), ...body]), { binary: false });
    });
  });

  sockets.on("connection", (socket) => {
    // A page's first message is what it offers; equal offers are kept once.
    socket.once("message", (data: Buffer) => {
      const text = data.toString();
      const offer = offers.get(text) ?? text;
      offers.set(offer, offer);
      offerOf.set(socket, offer);
      target = socket;
      socket.on("message", answer);
    });
  });

  function answer(data: Buffer): void {
    const id = data.toString("latin1", 0, idLength);
    const response = waiting.get(id);
    waiting.delete(id);
    response?.writeHead(200, { "Content-Type": "application/json", "Content-Length": data.length - idLength });
    response?.end(data.subarray(idLength));
  }

  return listen(server);
}
