// What an MCP client in the browser talks to a serving worker by: the SDK's form of a transport, without the SDK.
import { connectWorkerPort } from "../page/index.ts";
import { PagewireError, isJsonObject } from "../wire/index.ts";
import { portOptionsOf } from "./serving-worker-options.ts";
import type { ServingWorkerOptions } from "./serving-worker-options.ts";
import { tellAll } from "./tell-all.ts";

/** One JSON-RPC message of MCP. */
export interface McpMessage {
  readonly jsonrpc: "2.0";
  readonly [field: string]: unknown;
}

/** A transport as the clients of both lines of the MCP SDK take it. Set what it tells before `start`. */
export interface McpTransport {
  onmessage?: ((message: McpMessage) => void) | undefined;
  /** Hears why, before `onclose`, where it was not `close` that ended it. */
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Lets messages come. Rejects once the transport has ended. */
  start(): Promise<void>;
  /** Rejects once the transport has ended. */
  send(message: McpMessage): Promise<void>;
  /** Ends what the client called. Can be called twice. */
  close(): Promise<void>;
}

/**
 * Connects an MCP client to the worker that serves the tools of this origin's tabs. Rejects where there is none. When the
 * worker dies, hangs or is replaced the transport ends with an error; connecting again finds the next one. `connect` is for tests.
 */
export async function connectServingWorker(
  options: ServingWorkerOptions,
  connect = connectWorkerPort,
): Promise<McpTransport> {
  /** Why the transport has ended. */
  let ending: PagewireError | undefined;
  let isStarted = false;
  const { port, close } = await connect({ ...portOptionsOf(options), onEnded: end });

  function end(error: PagewireError): void {
    if (ending) return;
    ending = error;
    const tellError = () => error !== closed && transport.onerror?.(error);
    tellAll([tellError, () => transport.onclose?.()]);
  }

  function take(data: unknown): void {
    if (isJsonObject(data) && data["jsonrpc"] === "2.0") transport.onmessage?.(data as unknown as McpMessage);
    else transport.onerror?.(new PagewireError("frame-malformed", "The worker sent what is no JSON-RPC message."));
  }

  const transport: McpTransport = {
    async start() {
      if (ending) throw ending;
      if (isStarted) return;
      isStarted = true;
      port.addEventListener("message", ({ data }) => take(data));
      port.addEventListener("messageerror", () => take(undefined));
      port.start();
    },
    async send(message) {
      if (ending) throw ending;
      port.postMessage(message);
    },
    async close() {
      close();
      end(closed);
    },
  };
  return transport;
}

const closed = new PagewireError("cancelled", "The transport was closed.");
