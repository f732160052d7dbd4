// The floor once more, but what leaves in one turn of the event loop leaves in one message.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Started } from "../harness/role.ts";
import { idLength, separator } from "../pages/floor-id.ts";
import { listen } from "./listen.ts";

const separatorBytes = Buffer.from(separator);

export function startBatchingFloorHub(): Promise<Started> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const waiting = new Map<string, ServerResponse>();
  let target: WebSocket | undefined;
  let batch: Buffer[] = [];
  let count = 0;

  server.on("request", (request, response) => {
    const body: Buffer[] = [];
    request.on("data", (chunk: Buffer) => body.push(chunk));
    request.on("end", () => {
      if (!target) return void response.writeHead(503, { "Content-Length": 0 }).end();
      const id = (count++ >>> 0).toString(16).padStart(idLength, "0");
      waiting.set(id, response);
      if (batch.length > 0) batch.push(separatorBytes);
      else setImmediate(flush, target);
      batch.push(Buffer.from(id), ...body);
    });
  });

  function flush(socket: WebSocket): void {
    socket.send(Buffer.concat(batch), { binary: false });
    batch = [];
  }

  sockets.on("connection", (socket) => {
    // A page's first message is what it offers.
    socket.once("message", () => {
      target = socket;
      socket.on("message", answerAll);
    });
  });

  function answerAll(data: Buffer): void {
    let start = 0;
    for (let end; (end = data.indexOf(separatorBytes, start)) >= 0; start = end + 1) answer(data.subarray(start, end));
    answer(data.subarray(start));
  }

  function answer(data: Buffer): void {
    const id = data.toString("latin1", 0, idLength);
    const response = waiting.get(id);
    waiting.delete(id);
    response?.writeHead(200, { "Content-Type": "application/json", "Content-Length": data.length - idLength });
    response?.end(data.subarray(idLength));
  }

  return listen(server);
}
