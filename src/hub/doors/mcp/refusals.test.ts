import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const canary = "canary-of-a-client";

test("what the door refuses is noted in the log, without anything that was sent", async () => {
  const hub = await startHub();
  const session = await openSession(hub);
  const sent = [
    session.send({ jsonrpc: "2.0", id: canary, result: { said: canary } }),
    session.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: canary, progress: 1 } }),
    session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: {}, reason: canary } }),
    session.send({ jsonrpc: "2.0", id: 1, method: "ping" }, { "MCP-Protocol-Version": canary }),
    sendRaw(hub, modern("tools/list", {}, { headers: { "Mcp-Method": canary } })),
    sendRaw(hub, { ...modern(canary, {}), body: { jsonrpc: "1.0", [canary]: canary } }),
  ];
  for (const exchange of sent) await exchange.whole();
  const noted = hub.records.filter(({ event }) => event === "mcp-failed");
  expect(new Set(noted.map(({ level, stage }) => `${level} ${stage}`))).toEqual(
    new Set(["warn server", "warn request"]),
  );
  for (const { message } of noted) expect(String(message).length).toBeGreaterThan(0);
  expect(JSON.stringify(hub.records)).not.toContain(canary);
});
