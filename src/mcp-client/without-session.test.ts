// A server of the newer revision that also answers clients of the older ones, without sessions.
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { McpServer } from "@modelcontextprotocol/server";
import { startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest } from "./mcp-server.test-helper.ts";
import { connect, environment, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

const isHandshake = ({ method }: HeardRequest) => method === "initialize" || method === "server/discover";
const handshakes = (heard: readonly HeardRequest[]) => heard.filter(isHandshake).map(({ method }) => method);

test("a server that declares notifications but opens no session is asked to discover, and from then on first", async () => {
  let name = "old";
  const register = (mcp: McpServer) => {
    registerEcho(mcp);
    mcp.registerTool(name, {}, () => ({ content: [] }));
  };
  const server = await startServer({ isForBoth: true, register });
  const toolbox = await connect(server.url, { handshake: "initialize" });
  expect([toolNames(toolbox), handshakes(server.heard)]).toEqual([
    ["echo", "old"],
    ["initialize", "server/discover"],
  ]);
  name = "late";
  await server.changed("tools");
  await expect.poll(() => toolNames(toolbox)).toEqual(["echo", "late"]);
  await connect(server.url, { handshake: "initialize" });
  expect(handshakes(server.heard)).toEqual(["initialize", "server/discover", "server/discover"]);
  expect(toolbox.problems).toEqual([]);
});

test.each([404, 401])(
  "one that answers %i to that is used as the older one that it is, and nothing is told",
  async (status) => {
    const server = await startServer({
      isForBoth: true,
      register: registerEcho,
      instead({ method }, response) {
        if (method === "server/discover") response.writeHead(status).end();
        return method === "server/discover";
      },
    });
    const toolbox = await connect(server.url, { handshake: "initialize" });
    expect([toolNames(toolbox), toolbox.problems]).toEqual([["echo"], []]);
    expect(server.of("server/discover")).toHaveLength(1);
  },
);

test("one that is far away, so that its answer to discover comes late, is asked once more and given longer", async () => {
  let name = "old";
  const register = (mcp: McpServer) => void mcp.registerTool(name, {}, () => ({ content: [] }));
  const server = await startServer({ isForBoth: true, register });
  const asked: HeardRequest["method"][] = [];
  const slow: typeof fetch = async (input, init) => {
    const { method } = JSON.parse((init?.body as string | undefined) ?? "{}") as HeardRequest;
    if (method === "initialize" || method === "server/discover") asked.push(method);
    const answer = await fetch(input, init);
    if (method === "server/discover") await vi.waitUntil(() => asked.includes("initialize"));
    return answer;
  };
  const toolbox = await connect(server.url, { fetch: slow, limits: { discoverTime: 300 } });
  expect([toolNames(toolbox), asked]).toEqual([["old"], ["server/discover", "initialize", "server/discover"]]);
  name = "late";
  await server.changed("tools");
  await expect.poll(() => toolNames(toolbox)).toEqual(["late"]);
});

test("one that is not followed is asked nothing more", async () => {
  const server = await startServer({ isForBoth: true, register: registerEcho });
  await connect(server.url, { handshake: "initialize", follow: false });
  expect(handshakes(server.heard)).toEqual(["initialize"]);
});

test("a call that is aborted ends at a server without sessions", async () => {
  const states: string[] = [];
  const register = (mcp: McpServer) => {
    mcp.registerTool("hold", { inputSchema: z.object({}) }, (_, { mcpReq: { signal } }) => {
      states.push("running");
      signal.addEventListener("abort", () => states.push("aborted"));
      return new Promise(() => {});
    });
  };
  const server = await startServer({ isForBoth: true, register });
  const toolbox = await connect(server.url, { handshake: "initialize", follow: false });
  const stop = new AbortController();
  const outcome = toolbox.callTool("hold", {}, environment({ signal: stop.signal }));
  await expect.poll(() => states).toEqual(["running"]);
  stop.abort();
  expect(await outcome).toMatchObject({ kind: "aborted" });
  await expect.poll(() => states).toEqual(["running", "aborted"]);
  expect([server.of("server/discover"), toolbox.problems]).toEqual([[], []]);
});
