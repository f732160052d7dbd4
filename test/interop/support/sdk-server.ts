import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An MCP server with "echo" and "hold", which does not answer before it is cancelled. */
export interface SdkServer {
  readonly url: string;
  /** How many calls of "hold" began, and how many were cancelled. */
  readonly held: { began: number; cancelled: number };
  /** Offers these tools from now on, and notifies the clients. */
  offer(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The runs of "hold". */
export function createHold() {
  const held = { began: 0, cancelled: 0 };
  function hold(signal: AbortSignal): Promise<never> {
    held.began++;
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        held.cancelled++;
        reject(new Error("Cancelled."));
      }),
    );
  }
  return { held, hold };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves an SDK's transport over HTTP. */
export async function listen(answer: Answer): Promise<Pick<SdkServer, "url" | "close">> {
  // A client that disconnects early is not an error of the server.
  const http = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await once(http.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}
