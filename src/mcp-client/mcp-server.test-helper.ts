// MCP servers for one test each.
import { onTestFinished, vi } from "vitest";
// Preloads what is loaded on demand, so that it does not count toward the first test's timeout.
import "./sdk.ts";
import { createServer } from "./create-server.test-helper.ts";
import type { Era, McpTestServer, ServerSetting } from "./create-server.test-helper.ts";
import { forgetHandshake } from "./open-session.ts";

export type { Era, HeardRequest, ServerSetting } from "./create-server.test-helper.ts";

// Each test has real servers, and the machine may be busy.

export const eras: readonly Era[] = ["legacy", "modern"];

export interface TestServer extends McpTestServer {
  /** Resolves when a client listens. */
  listened(): Promise<void>;
}

export async function startServer(setting: ServerSetting = {}): Promise<TestServer> {
  const server = await createServer(setting);
  onTestFinished(() => server.stop());
  // An earlier test's server may have had the same port.
  forgetHandshake(server.url);
  return Object.assign(server, {
    async listened() {
      const isListened = () => server.of("GET").length + server.of("subscriptions/listen").length > 0;
      // Long enough for a busy machine.
      await vi.waitUntil(isListened, { interval: 5 });
    },
  });
}
