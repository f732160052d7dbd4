// A server of the newer revision that also answers clients of the older ones, without sessions.
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { McpServer } from "@modelcontextprotocol/server";
import { startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { createHold, registerEcho } from "./server-tools.test-helper.ts";

const isHandshake = ({ method }: HeardRequest) => method === "initialize" || method === "server/discover";
const handshakes = (heard: readonly HeardRequest[]) => heard.filter(isHandshake).map(({ method }) => method);

test("a server whose answer to discover comes late, but before that to initialize, is used as a newer one", async () => {
  let name = "old";
  const register = (mcp: McpServer) => void mcp.registerTool(name, {}, () => ({ content: [] }));
  const server = await startServer({ isForBoth: true, register });
  const asked: HeardRequest["method"][] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const far: typeof fetch = async (input, init) => {
    const { method } = JSON.parse((init?.body as string | undefined) ?? "{}") as HeardRequest;
    if (method === "initialize" || method === "server/discover") asked.push(method);
    if (method === "initialize") await answered;
    const response = await fetch(input, init);
    if (method === "tools/list") answer();
    if (method === "server/discover") await vi.waitUntil(() => asked.includes("initialize"));
    return response;
  };
  const toolbox = await connect(server.url, { fetch: far, limits: { discoverTime: 20 } });
  expect([toolNames(toolbox), asked]).toEqual([["old"], ["server/discover", "initialize"]]);
  name = "late";
  await server.changed("tools");
  await expect.poll(() => toolNames(toolbox)).toEqual(["late"]);
  await connect(server.url, { fetch: far, limits: { discoverTime: 0 } });
  expect([asked.slice(2), toolbox.problems]).toEqual([["server/discover"], []]);
});

test("a server that tells clients without a session nothing is asked to discover once it is used, and from then on first", async () => {
  let name = "old";
  const register = (mcp: McpServer) => {
    registerEcho(mcp);
    mcp.registerTool(name, {}, () => ({ content: [] }));
  };
  const server = await startServer({ isForBoth: true, register });
  const toolbox = await connect(server.url, { handshake: "initialize" });
  expect([toolNames(toolbox), server.of("tools/list").length]).toEqual([["echo", "old"], 1]);
  await expect.poll(() => server.of("subscriptions/listen").length).toBe(1);
  await expect.poll(() => server.of("tools/list").length).toBe(2);
  name = "late";
  await server.changed("tools");
  await expect.poll(() => toolNames(toolbox)).toEqual(["echo", "late"]);
  await connect(server.url, { handshake: "initialize" });
  expect(handshakes(server.heard)).toEqual(["initialize", "server/discover", "server/discover"]);
  expect(toolbox.problems).toEqual([]);
});

test("calls that run when the newer connection is there are answered in the older one", async () => {
  const hold = createHold();
  let answer = () => {};
  const register = (mcp: McpServer) => {
    hold.register(mcp);
    mcp.registerTool("wait", {}, async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return { content: [] };
    });
  };
  let discover = () => {};
  const server = await startServer({ isForBoth: true, register });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(init?.body as string | undefined).includes("server/discover"))
      await new Promise<void>((resolve) => (discover = resolve));
    return globalThis.fetch(input, init);
  };
  const toolbox = await connect(server.url, { handshake: "initialize", fetch });
  const waiting = toolbox.callTool("wait", {}, environment());
  await expect.poll(() => server.of("tools/call").length).toBe(1);
  discover();
  await expect.poll(() => server.of("subscriptions/listen").length).toBe(1);
  await expect.poll(() => server.of("tools/list").length).toBe(2);
  const held = toolbox.callTool("hold", {}, environment());
  await hold.started;
  answer();
  expect(resultOf(await waiting)).toEqual({ content: [] });
  await toolbox.close();
  expect(await held).toMatchObject({ kind: "failed", code: "outcome-unknown" });
  await hold.aborted;
});

test.each([
  [404, 1],
  [500, 1],
  [401, 2],
  [429, 2],
  [503, 2],
  ["a reset", 2],
] as const)(
  "one that meets that with %s is used as the older one that it is, nothing is told, and of two connections %i ask it",
  async (how, times) => {
    const server = await startServer({
      isForBoth: true,
      register: registerEcho,
      instead({ method }, response) {
        if (method !== "server/discover") return false;
        if (how === "a reset") response.destroy();
        else response.writeHead(how).end();
        return true;
      },
    });
    for (const asked of [1, times]) {
      const toolbox = await connect(server.url, { handshake: "initialize" });
      await expect.poll(() => server.of("server/discover").length).toBe(asked);
      resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
      expect([toolNames(toolbox), toolbox.problems]).toEqual([["echo"], []]);
      await toolbox.close();
    }
    expect([server.of("initialize").length, server.of("server/discover").length]).toEqual([2, times]);
  },
);

test("how it says in JSON that it has no stream does not matter", async () => {
  const server = await startServer({
    isForBoth: true,
    register: registerEcho,
    instead({ http }, response) {
      if (http === "GET") response.writeHead(405, { "content-type": "Application/JSON; charset=utf-8" }).end("{}");
      return http === "GET";
    },
  });
  await connect(server.url, { handshake: "initialize" });
  await expect.poll(() => server.of("server/discover").length).toBe(1);
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
