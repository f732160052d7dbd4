import { expect, test, vi } from "vitest";
import { startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { offering, register } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";
import type { WebMcpOptions } from "./web-mcp-options.ts";

/** A fetch that records its responses in order. */
function scriptedFetch(...answers: readonly Response[]) {
  const rest = [...answers];
  const asked: string[] = [];
  const fetch = vi.fn<typeof globalThis.fetch>(async (_, init) => {
    const body: unknown = JSON.parse((init?.body as string | undefined) ?? "{}");
    asked.push((body as { method?: string }).method ?? init?.method ?? "GET");
    const answer = rest.shift();
    if (answer === undefined) throw new Error("Nothing more is written down.");
    return answer;
  });
  return { fetch, asked };
}

const answer = (id: number, result: object) => Response.json({ jsonrpc: "2.0", id, result });

test("a scripted server receives initialize, its notification and tools/list, and nothing else", async () => {
  fakeBrowser();
  const { fetch, asked } = scriptedFetch(
    answer(0, {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "scripted", version: "1" },
    }),
    new Response(null, { status: 202 }),
    answer(1, { tools: [{ name: "add", inputSchema: { type: "object" } }] }),
  );
  const handle = await register({ url: "https://scripted.example/mcp", fetch, watch: false });
  expect(handle.tools).toEqual(["add"]);
  expect(asked).toEqual(["initialize", "notifications/initialized", "tools/list"]);
});

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
