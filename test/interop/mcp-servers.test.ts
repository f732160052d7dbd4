// Servers made with the official MCP SDK in several ages, behind our client.
import { describe, expect, test } from "vitest";
import { connect, environment, resultOf, toolNames } from "../../src/mcp-client/mcp-toolbox.test-helper.ts";
import { record, versionOf } from "./support/record.ts";
import { startNewSdkServer } from "./support/new-sdk-server.ts";
import { startOldSdkServer } from "./support/old-sdk-server.ts";

const servers = [
  { name: "mcp-sdk-1.10", partner: "@modelcontextprotocol/sdk", start: startOldSdkServer },
  { name: "mcp-sdk-1.12", partner: "@modelcontextprotocol/sdk", start: startOldSdkServer },
  { name: "mcp-sdk-1.20", partner: "@modelcontextprotocol/sdk", start: startOldSdkServer },
  { name: "mcp-sdk-1.32", partner: "@modelcontextprotocol/sdk", start: startOldSdkServer },
  { name: "@modelcontextprotocol/server-2", partner: "@modelcontextprotocol/server", start: startNewSdkServer },
];

describe.each(servers)("a server of $name", ({ name, partner, start }) => {
  test("is listed and called, cancels a call that is given up, and its changed list is read again", async ({
    onTestFinished,
  }) => {
    const server = await start(name);
    onTestFinished(() => server.close());
    const toolbox = await connect(server.url);
    expect(toolNames(toolbox)).toEqual(["echo", "hold"]);
    const outcome = await toolbox.callTool("echo", { text: "hi" }, environment());
    expect(resultOf(outcome)).toMatchObject({ content: [{ type: "text", text: "echo hi" }] });

    const leaving = new AbortController();
    const held = toolbox.callTool("hold", {}, environment({ signal: leaving.signal }));
    await expect.poll(() => server.held).toEqual({ began: 1, cancelled: 0 });
    leaving.abort(new Error("enough"));
    await expect.poll(() => server.held).toEqual({ began: 1, cancelled: 1 });
    await Promise.allSettled([held]);

    await server.offer(["echo", "late"]);
    await expect.poll(() => toolNames(toolbox)).toEqual(["echo", "late"]);
    const late = await toolbox.callTool("late", { text: "comer" }, environment());
    expect(resultOf(late)).toMatchObject({ content: [{ text: "late comer" }] });
    expect(toolbox.problems).toEqual([]);
    const version = await versionOf(name);
    await record({ partner, version }, "its server behind connectMcpToolbox", "list, call, cancel, list_changed");
  });
});
