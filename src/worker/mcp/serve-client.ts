// An MCP client at a port: each message is one JSON-RPC object, and in revisions that had them, several.
import type { PortLike } from "../../link/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Board } from "../local/board.ts";
import { createConversation } from "./conversation.ts";
import { RpcError, errorAnswer } from "./rpc.ts";

export interface ClientToServe {
  readonly port: PortLike;
  readonly principal: string;
  /** Aborts when the client's document is gone. */
  readonly gone: AbortSignal;
}

export function serveClient({ port, principal, gone }: ClientToServe, board: Board): void {
  const conversation = createConversation(
    { principal, notify: (method, params) => port.postMessage({ jsonrpc: "2.0", method, ...(params && { params }) }) },
    board,
  );

  async function takeAll(data: unknown): Promise<void> {
    const isBatch = Array.isArray(data) && data.length > 0 && conversation.hasBatches;
    const answers = await Promise.all((isBatch ? data : [data]).map(conversation.take));
    const given = answers.filter((one) => one !== undefined);
    if (given.length > 0 && !gone.aborted) port.postMessage(isBatch ? given : given[0]);
  }

  function end(): void {
    // A document may have many clients, one after the other.
    gone.removeEventListener("abort", end);
    conversation.close();
    port.close();
  }

  port.addEventListener("message", ({ data }) => {
    // Browsers do not tell when the other end of a port is closed.
    if (isJsonObject(data) && "close" in data) end();
    else void takeAll(data);
  });
  port.addEventListener("messageerror", () => {
    port.postMessage(errorAnswer(null, new RpcError("parse-error", "The message could not be read.")));
  });
  port.addEventListener("close", end);
  gone.addEventListener("abort", end);
  if (gone.aborted) end();
  else port.start();
}
