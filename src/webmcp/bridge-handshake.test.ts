import { expect, test } from "vitest";
import { startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { offering, register } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";
import type { WebMcpOptions } from "./web-mcp-options.ts";

const methodsOf = async (setting: Parameters<typeof startServer>[0], options: Partial<WebMcpOptions> = {}) => {
  fakeBrowser();
  const server = await startServer({ ...setting, register: offering({ tools: () => ["add"] }) });
  const handle = await register({ url: server.url, watch: false, limits: {}, ...options });
  expect(handle.tools).toEqual(["add"]);
  return server.heard.map(({ method }) => method);
};

test("a server of MCP 2026-07-28 alone is asked to discover once it refused to initialize", async () => {
  expect(await methodsOf({ era: "modern" })).toEqual(["initialize", "server/discover", "tools/list"]);
});

test("handshake begins with server/discover where that is asked for", async () => {
  const [first] = await methodsOf({ era: "modern", isForBoth: true }, { handshake: "discover" });
  expect(first).toBe("server/discover");
  const [older] = await methodsOf({ era: "modern", isForBoth: true });
  expect(older).toBe("initialize");
});

test("a handshake that there is not is refused by name", async () => {
  fakeBrowser();
  const handshake = "hello" as "discover";
  await expect(register({ url: "https://mcp.example/mcp", handshake })).rejects.toThrow(
    'handshake must be "initialize" or "discover"',
  );
});
