// The least that a hub does whose agent calls the tools of the app that opened its window: one socket, calls by id.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { startPageServer } from "../harness/page-server.ts";
import type { CallingRole, Parameters } from "../harness/role.ts";
import { argumentsFor } from "../pages/answers.ts";
import type { ToolAnswer } from "../pages/answers.ts";
import { checkedCaller } from "./checked-caller.ts";
import { listen } from "./listen.ts";

interface Response {
  readonly request_id: string;
  readonly response: { readonly success: boolean; readonly result: ToolAnswer };
}

export async function startFloorWindowHub({
  size = "200 B",
  way = "port",
  allowedOrigins = [],
}: Parameters): Promise<CallingRole> {
  const server = createServer();
  const waiting = new Map<string, (result: ToolAnswer) => void>();
  let count = 0;

  const connected = new Promise<WebSocket>((resolve) => {
    new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket) => {
      socket.on("message", (data: Buffer) => {
        const { request_id, response } = JSON.parse(data.toString()) as Response;
        waiting.get(request_id)?.(response.result);
        waiting.delete(request_id);
      });
      resolve(socket);
    });
  });

  async function call(): Promise<string> {
    const socket = await connected;
    const request_id = String(count++);
    const { content } = await new Promise<ToolAnswer>((resolve) => {
      waiting.set(request_id, resolve);
      socket.send(
        JSON.stringify({ type: "tool_call", request_id, tool_name: "answer", arguments: argumentsFor(size) }),
      );
    });
    return content.map(({ text }) => text).join("\n");
  }

  const { port } = await listen(server);
  const pages = await startPageServer();
  const [app = ""] = allowedOrigins;
  return { port, window: pages.pageFor("floor-window.js", port, { app, way }), caller: checkedCaller(call, size) };
}
