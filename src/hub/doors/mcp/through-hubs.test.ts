// The tests of one hub's clients, with three hubs behind a load balancer that sends each request to the next. Left out are files
// with tests of what hubs have apart: calls that are sent again without a key, streams and sessions up to a limit, and what a page
// changed a moment ago.
import { vi } from "vitest";
import type * as hubHelper from "../../test-support/hub.test-helper.ts";
import { startMcpHubs } from "./test-support/mcp-hubs.test-helper.ts";
import "./cancels.test.ts";
import "./event-stream.test.ts";
import "./forged-answers.test.ts";
import "./forged-handles.test.ts";
import "./progress.test.ts";
import "./prompts-and-resources.test.ts";
import "./questions.test.ts";
import "./rounds.test.ts";

vi.mock("../../test-support/hub.test-helper.ts", async (original) => ({
  ...(await original<typeof hubHelper>()),
  startHub: async (options: Parameters<typeof startMcpHubs>[0]) => (await startMcpHubs(options)).front,
}));
