import { expect, test, vi } from "vitest";
import { WebMcpAdapter } from "./web-mcp-adapter.ts";

test("where a page is rendered on a server, a tool is registered and offered to no browser", () => {
  const warn = vi.spyOn(console, "warn");
  const adapter = new WebMcpAdapter();
  const execute = vi.fn<() => Promise<object>>();
  adapter.registerTool("pay", "Pays.", { type: "object" }, execute);
  adapter.setEnabled(false);
  adapter.setEnabled(true);
  expect([adapter.isAvailable(), adapter.isRegistered("pay"), adapter.getRegisteredTools()]).toEqual([
    false,
    false,
    [],
  ]);
  expect(adapter.unregisterTool("pay")).toBe(true);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
