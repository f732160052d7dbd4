// A minimal hub's side of its pages: sockets with JSON messages, and a map of pending calls.
import type { Server } from "node:http";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { JsonAnswer, JsonHello } from "../pages/json-speaker.ts";

export interface JsonPages {
  /** Whether a page is there. */
  readonly ready: boolean;
  call(tool: string, parameters: unknown): Promise<unknown>;
}

export function acceptJsonPages(server: Server): JsonPages {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const tools = new Map<WebSocket, JsonHello["tools"]>();
  const waiting = new Map<number, (result: unknown) => void>();
  let target: WebSocket | undefined;
  let count = 0;

  sockets.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as JsonHello | JsonAnswer;
      if (message.type === "hello") {
        tools.set(socket, message.tools);
        target = socket;
      } else {
        waiting.get(message.id)?.(message.result);
        waiting.delete(message.id);
      }
    });
    socket.on("close", () => tools.delete(socket));
  });

  return {
    get ready() {
      return target !== undefined;
    },
    call(tool, parameters) {
      if (!target) throw new Error("No page is connected.");
      const id = count++;
      target.send(JSON.stringify({ type: "call", id, tool, arguments: parameters }));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
  };
}
