// The tests of one hub's clients, with three hubs behind a load balancer that sends each request to the next.
import { vi } from "vitest";
import type * as hubHelper from "../../test-support/hub.test-helper.ts";
import { startMcpHubs } from "./test-support/mcp-hubs.test-helper.ts";
import "./cancels.test.ts";
import "./forged-handles.test.ts";
import "./questions.test.ts";
import "./rounds.test.ts";

vi.mock("../../test-support/hub.test-helper.ts", async (original) => ({
  ...(await original<typeof hubHelper>()),
  startHub: async (options: Parameters<typeof startMcpHubs>[0]) => (await startMcpHubs(options)).front,
}));
