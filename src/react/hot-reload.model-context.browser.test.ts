import { defineHot, performReactRefresh } from "./hot-reload.test-helper.ts";
import { act, createElement, useState } from "react";
import { beforeAll, expect, test } from "vitest";
import { serve } from "../mcp-client/served.test-helper.ts";
import {
  browserToolNames,
  browserTools,
  createContextScreen,
  ensureModelContext,
  executeTool,
  settled,
} from "./model-context.test-helper.ts";
import { useModelContextTool } from "./use-model-context-tool.ts";
import { useWebMcp } from "./use-web-mcp.ts";

beforeAll(ensureModelContext);

test("a hot reload brings the new handler and description; a tool is there once, and a server has one session", async () => {
  const server = await serve({ era: "legacy" });
  const screen = createContextScreen();
  const edit = (description: string) =>
    defineHot("counter.tsx Counter", () => {
      const [count, setCount] = useState(0);
      useModelContextTool({
        name: "count",
        description,
        execute: () => (setCount(count + 1), `${description} ${count}`),
      });
      const { status } = useWebMcp({ url: server.url, quiet: true, filter: ({ name }) => name === "echo" });
      return `${count} ${status}`;
    });
  const Counter = edit("First.");
  await screen.show(createElement(Counter));
  await settled(() => screen.container.textContent === "0 ready");
  expect(await executeTool("count")).toBe("First. 0");
  edit("Second.");
  await act(async () => void performReactRefresh());
  await settled(() => screen.container.textContent === "1 ready");
  expect(await executeTool("count")).toBe("Second. 1");
  expect([await browserToolNames(), await browserTools()]).toEqual([
    ["count", "echo"],
    expect.arrayContaining([expect.objectContaining({ name: "count", description: "Second." })]),
  ]);
  await settled(async () => (await server.look()).sessions.length === 1);
  await screen.clear();
  await settled(async () => (await server.look()).sessions.length === 0);
});
