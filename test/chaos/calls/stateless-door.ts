import type { CallerDoor, DoorOptions } from "./door.ts";
import { post } from "./exchange.ts";
import { readMcpAnswer } from "./mcp-answer.ts";

const version = "2026-07-28";

/** MCP 2026-07-28: no session, and hanging up cancels the call. */
export function createStatelessDoor({ url, token, name }: DoorOptions): CallerDoor {
  let lastId = 0;
  return {
    async send({ tool, input, key }) {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name, version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { name: tool, arguments: input, ...(key !== undefined && { idempotencyKey: key }), _meta };
      const exchange = post({
        url: `${url}/mcp`,
        agent: false,
        body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method: "tools/call", params }),
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "MCP-Protocol-Version": version,
          "Mcp-Method": "tools/call",
          "Mcp-Name": tool,
        },
      });
      return { exchange, cancel: exchange.hangUp };
    },
    read: readMcpAnswer,
  };
}
