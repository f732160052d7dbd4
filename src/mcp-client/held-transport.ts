// Sits between the MCP SDK's client and its transport. The SDK rejects a whole list for one invalid field, drops
// unknown parts of a result, and waits forever for a response whose stream was cut. So it receives stand-ins for the
// results of the requests below, which contain the server's own JSON, and errors for responses that can no longer
// arrive.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";

/** The smallest result that the SDK accepts for each request. */
const standIns: Readonly<Record<string, JsonObject>> = {
  "tools/list": { tools: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "prompts/list": { prompts: [] },
  "tools/call": { content: [] },
  "resources/read": { contents: [] },
  "prompts/get": { messages: [] },
  "completion/complete": { completion: { values: [] } },
};

const mark = "pagewire/text";

/** The error code of an answer that will not come. */
export const cutCode = -32_099;

/** The server's own result in a stand-in, as JSON text. */
export function heldText(result: unknown): string | undefined {
  const meta = isJsonObject(result) && result["_meta"];
  const text = isJsonObject(meta) && meta[mark];
  return typeof text === "string" ? text : undefined;
}

interface OpenRequest {
  readonly method: string;
  readonly hangUp: AbortController;
}

/** Wraps a transport for the SDK's client. */
export function holdResults(inner: Transport): Transport {
  /** The pending requests by id. */
  const open = new Map<unknown, OpenRequest>();

  /** Without a session a server cannot tell which request is cancelled: it only sees that the connection closes. */
  function cancel(id: unknown): void {
    if (inner.sessionId === undefined) open.get(id)?.hangUp.abort();
    open.delete(id);
  }

  function replace(message: JSONRPCMessage): JSONRPCMessage {
    if ("method" in message || message.id === undefined) return message;
    const { id } = message;
    const standIn = standIns[open.get(id)?.method ?? ""];
    open.delete(id);
    if (!standIn || !("result" in message)) return message;
    const { resultType = "complete", ...result } = message.result as JsonObject;
    if (resultType === "input_required") return message;
    try {
      const held = { _meta: { [mark]: JSON.stringify(result) }, resultType, ttlMs: 0, cacheScope: "private" };
      return { ...message, result: { ...standIn, ...held } } as JSONRPCMessage;
    } catch {
      return failure(id, "The server's answer nests too deep.");
    }
  }

  const transport: Transport = {
    hasPerRequestStream: true,
    async start() {
      inner.onmessage = (message) => transport.onmessage?.(replace(message));
      inner.onerror = (error) => transport.onerror?.(error);
      inner.onclose = () => transport.onclose?.();
      await inner.start();
    },
    async send(message, options) {
      if (!("method" in message)) return inner.send(message, options);
      const { method, params } = message;
      if (method === "notifications/cancelled") cancel(params?.["requestId"]);
      // The SDK itself detects the end of this stream.
      if (!("id" in message) || method === "subscriptions/listen") return inner.send(message, options);
      const { id } = message;
      const hangUp = new AbortController();
      open.set(id, { method, hangUp });
      // The SDK passes a signal only with the newer revision.
      const { requestSignal = hangUp.signal } = options ?? {};
      requestSignal.addEventListener("abort", () => open.delete(id));
      const onRequestStreamEnd = () => {
        options?.onRequestStreamEnd?.();
        if (open.delete(id)) transport.onmessage?.(failure(id, "The connection was cut before the answer came."));
      };
      try {
        await inner.send(message, { ...options, requestSignal, onRequestStreamEnd });
      } catch (error) {
        open.delete(id);
        throw error;
      }
    },
    close: () => inner.close(),
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  return transport;
}

function failure(id: unknown, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: cutCode, message } } as JSONRPCMessage;
}
