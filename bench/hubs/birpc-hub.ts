import { createBirpc } from "birpc";
import type { BirpcReturn } from "birpc";
import { WebSocketServer } from "ws";
import type { Started } from "../harness/role.ts";
import type { HubFunctions, PageFunctions } from "../pages/birpc-speaker.ts";
import { createJsonServer } from "./json-server.ts";
import type { Call } from "./json-server.ts";
import { listen } from "./listen.ts";
import type { Server } from "node:http";

type Page = BirpcReturn<PageFunctions, HubFunctions>;

/** birpc over ws, as its documentation shows it, behind the HTTP server of the hub by hand. */
export function startBirpcHub(): Promise<Started> {
  return listen(createJsonServer(acceptPages));
}

function acceptPages(server: Server): Call {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const tools = new Map<Page, readonly object[]>();
  let target: Page | undefined;

  sockets.on("connection", (socket) => {
    const page: Page = createBirpc<PageFunctions, HubFunctions>(
      {
        hello(offered) {
          tools.set(page, offered);
          target = page;
        },
      },
      {
        post: (data: string) => socket.send(data),
        on: (receive) => socket.on("message", (data: Buffer) => receive(data.toString())),
        serialize: (message) => JSON.stringify(message),
        deserialize: (text: string) => JSON.parse(text) as unknown,
      },
    );
    socket.on("close", () => tools.delete(page));
  });

  return async (tool, parameters) => {
    if (!target) throw new Error("No page is connected.");
    return target.callTool(tool, parameters);
  };
}
