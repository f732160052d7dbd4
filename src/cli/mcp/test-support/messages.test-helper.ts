// Messages as clients write them.
import type { JsonObject } from "../../../wire/index.ts";

/** A request of a client of 2025-11-25. */
export function request(id: string | number, method: string, params: JsonObject = {}): JsonObject {
  return { jsonrpc: "2.0", id, method, params };
}

export function notification(method: string, params: JsonObject = {}): JsonObject {
  return { jsonrpc: "2.0", method, params };
}

/** A request of a client of 2026-07-28. */
export function modern(id: string | number, method: string, params: JsonObject = {}): JsonObject {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "tester", version: "1.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { _meta: more = {} } = params;
  return request(id, method, { ...params, _meta: { ..._meta, ...(more as JsonObject) } });
}

export const initialized = notification("notifications/initialized");

export function initialize(id: string | number, capabilities: JsonObject = {}): JsonObject {
  const clientInfo = { name: "tester", version: "1.0" };
  return request(id, "initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
}
