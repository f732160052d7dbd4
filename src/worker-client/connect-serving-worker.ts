// An MCP transport to a serving worker, with the SDK's interface but without the SDK.
import { connectWorkerPort } from "../page/index.ts";
import type { WorkerPortOptions } from "../page/index.ts";
import { PagewireError, isJsonObject } from "../wire/index.ts";
import { tellAll } from "./tell-all.ts";

export interface ServingWorkerOptions {
  /** The address of the script of the SharedWorker that serves; the one that the pages use. */
  readonly worker?: string;
  /** The address of the script of the ServiceWorker that serves, for browsers that have no SharedWorker. */
  readonly serviceWorker?: string;
  /** The client's token: it gets the tools of the pages whose tokens have the same subject. */
  readonly token?: string;
}

/** Parses the options; throws if one is malformed. */
function portOptionsOf(options: ServingWorkerOptions): Omit<WorkerPortOptions, "onEnded"> {
  const { worker, serviceWorker, token } = options;
  if (worker === undefined && serviceWorker === undefined) throw invalid("worker", scriptForm);
  checkScript("worker", worker);
  checkScript("serviceWorker", serviceWorker);
  if (token !== undefined && (typeof token !== "string" || token === "" || token.length > longestToken)) {
    throw invalid("token", `a token of 1 to ${longestToken} characters`);
  }
  return { sharedUrl: worker, serviceUrl: serviceWorker, token };
}

/** The length limit of tokens in a hello. */
const longestToken = 8192;

const scriptForm = "the address of a script that serves, such as /pagewire-serving-worker.js";

function checkScript(name: "worker" | "serviceWorker", url: unknown): void {
  if (url === undefined) return;
  // For pages, "auto" means the workers that only forward links.
  if (typeof url !== "string" || url.trim() === "" || url === "auto") throw invalid(name, scriptForm);
}

function invalid(name: string, form: string): PagewireError {
  return new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}

/** One JSON-RPC message of MCP. */
export interface McpMessage {
  readonly jsonrpc: "2.0";
  readonly [field: string]: unknown;
}

/** A transport for the clients of both MCP SDK generations. Set the callbacks before `start`. */
export interface McpTransport {
  onmessage?: ((message: McpMessage) => void) | undefined;
  /** Called with the reason, before `onclose`, unless `close` was called. */
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Starts to deliver messages. Rejects if the transport is closed. */
  start(): Promise<void>;
  /** Rejects if the transport is closed. */
  send(message: McpMessage): Promise<void>;
  /** Aborts the client's calls. Can be called twice. */
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
  /** Why the transport closed. */
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
