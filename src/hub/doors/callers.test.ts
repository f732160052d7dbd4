import { expect, test } from "vitest";
import type { AgentSession, Switchboard } from "../../switchboard/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { createCallers } from "./callers.ts";
import { modern, sendRaw } from "./mcp/test-support/raw-mcp.test-helper.ts";

test("each door remembers at most mcpSessions agents without a session", async () => {
  const hub = await startHub({ limits: { mcpSessions: 3 } });
  await connectPage(hub.url);
  for (let index = 0; index < 6; index++) {
    const name = `agent-${index}`;
    await sendRaw(hub, modern("tools/call", { name: "work", arguments: {} }, { client: name })).whole();
    expect((await callTool(hub, "work", { headers: { "User-Agent": name } })).status).toBe(200);
  }
  expect(await hub.metric("pagewire_agents")).toBe(6);
});

test("a principal with many agents does not cost another one its own", () => {
  const closed: string[] = [];
  const agent: Switchboard["agent"] = ({ principal, name }) =>
    ({ seen() {}, close: () => closed.push(`${principal} ${name}`) }) as unknown as AgentSession;
  const callers = createCallers({ agent }, { door: "http", max: 3 });
  const of = (principal: string, name: string) => callers.of({ principal, credential: "c" }, { name });
  const hers = of("ann", "1");
  for (const name of ["1", "2", "3", "4", "2", "5"]) of("bob", name);
  expect(closed).toEqual(["bob 1", "bob 2", "bob 3", "bob 4"]);
  expect(of("ann", "1")).toBe(hers);
});
