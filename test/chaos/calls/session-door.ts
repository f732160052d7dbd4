import type { CallerDoor, DoorOptions } from "./door.ts";
import { post } from "./exchange.ts";
import { readMcpAnswer, sessionEnded } from "./mcp-answer.ts";

const version = "2025-11-25";

/** MCP 2025-11-25: a session, which is opened again when the hub no longer knows it. */
export function createSessionDoor({ url, token, name }: DoorOptions): CallerDoor {
  let session: Promise<string> | undefined;
  let lastId = 0;

  function say(message: object, id?: string) {
    return post({
      url: `${url}/mcp`,
      agent: false,
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(id !== undefined && { "MCP-Protocol-Version": version, "Mcp-Session-Id": id }),
      },
    });
  }

  async function open(): Promise<string> {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name, version: "1" } };
    const { headers } = await say({ id: ++lastId, method: "initialize", params }).answer;
    const id = headers["mcp-session-id"];
    if (typeof id !== "string") throw new Error("The hub opened no session.");
    await say({ method: "notifications/initialized" }, id).answer;
    return id;
  }

  function forget(): void {
    session = undefined;
  }

  return {
    async send({ tool, input, key }) {
      session ??= open();
      session.catch(forget);
      const current = await session;
      const requestId = ++lastId;
      const params = { name: tool, arguments: input, ...(key !== undefined && { idempotencyKey: key }) };
      const exchange = say({ id: requestId, method: "tools/call", params }, current);
      const cancel = () => {
        const cancelled = say({ method: "notifications/cancelled", params: { requestId } }, current);
        cancelled.answer.catch(() => {});
      };
      return { exchange, cancel };
    },
    read(answer) {
      const told = readMcpAnswer(answer);
      if (told.code === sessionEnded) forget();
      return told;
    },
  };
}
