import type { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import { unlessAborted } from "../toolbox/index.ts";
import type { OfferChange } from "../wire/index.ts";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

describe.each(eras)("a server of the %s era", (era) => {
  test("that is unreachable at first is retried, and its tools are reported once it is reachable", async () => {
    const server = await startServer({ era, register: registerEcho });
    await server.stop();
    const onUnreached = vi.fn<(error: unknown) => void>();
    const toolbox = await connect(server.url, { onUnreached });
    expect(onUnreached.mock.calls).toEqual([[expect.objectContaining({ code: "server-unreachable" })]]);
    expect([toolNames(toolbox), toolbox.server, toolbox.instructions]).toEqual([[], undefined, undefined]);
    const changed = vi.fn<(change: OfferChange) => void>();
    toolbox.subscribe(changed);
    await server.start();
    await expect.poll(() => changed.mock.calls).toMatchObject([[{ add: { tools: [{ name: "echo" }] } }]]);
    expect([toolbox.server?.name, toolbox.instructions]).toEqual(["test server", "Be kind."]);
    expect([onUnreached.mock.calls.length, toolbox.problems]).toEqual([1, []]);
  });

  test("that becomes reachable, after an outage or for the first time, is reported once", async () => {
    const server = await startServer({ era, register: registerEcho });
    await server.stop();
    const onReached = vi.fn<() => void>();
    await connect(server.url, { onReached, onUnreached() {} });
    for (const times of [1, 2]) {
      expect(onReached).toHaveBeenCalledTimes(times - 1);
      await server.start();
      await expect.poll(() => onReached.mock.calls.length).toBe(times);
      await server.listened();
      await server.stop();
    }
    const steady = await startServer({ era, register: registerEcho });
    const toolbox = await connect(steady.url, { onReached });
    await toolbox.refresh();
    expect(onReached).toHaveBeenCalledTimes(2);
  });

  test("without follow, onReached is called when refresh first reaches the server; a listener that throws has no effect", async () => {
    const server = await startServer({ era, register: registerEcho });
    await server.stop();
    const onError = vi.fn<(error: unknown, about: { readonly stage: string }) => void>();
    const broken = new Error("a listener");
    const onReached = vi.fn<() => void>(() => {
      throw broken;
    });
    const toolbox = await connect(server.url, { follow: false, onUnreached() {}, onReached, onError });
    await server.start();
    await toolbox.refresh();
    await toolbox.refresh();
    expect(onReached).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledWith(broken, { stage: "toolbox subscriber" });
    expect(toolNames(toolbox)).toEqual(["echo"]);
  });

  test("without follow refresh finds it", async () => {
    const server = await startServer({ era, register: registerEcho });
    await server.stop();
    const toolbox = await connect(server.url, { follow: false, onUnreached() {} });
    await expect(toolbox.refresh()).rejects.toMatchObject({ code: "server-unreachable" });
    await server.start();
    await toolbox.refresh();
    expect(toolNames(toolbox)).toEqual(["echo"]);
  });

  test("a tool with any name is taken where that is asked for, and can be called", async () => {
    const names = ["a/b", "with space", "日本語", "x".repeat(129)];
    const register = (mcp: McpServer) => {
      registerEcho(mcp);
      const inputSchema = { type: "object" as const };
      mcp.server.setRequestHandler("tools/list", () => ({
        tools: [...names, "y".repeat(2049)].map((name) => ({ name, inputSchema })),
      }));
      mcp.server.setRequestHandler("tools/call", ({ params }) => ({ content: [{ type: "text", text: params.name }] }));
    };
    const server = await startServer({ era, register });
    const toolbox = await connect(server.url, { anyNames: true });
    expect(toolNames(toolbox)).toEqual(names);
    for (const name of names) {
      const outcome = await toolbox.callTool(name, {}, environment());
      expect(resultOf(outcome)).toMatchObject({ content: [{ text: name }] });
    }
    const strict = await connect(server.url);
    expect([toolNames(strict), strict.problems.length]).toEqual([[], 5]);
  });
});

test("a signal that aborts ends the search, also after the server was not reached", async () => {
  const server = await startServer({ register: registerEcho });
  await server.stop();
  const abort = new AbortController();
  const reason = new Error("not any more");
  const onUnreached = vi.fn<() => void>(() => abort.abort(reason));
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    after(milliseconds: number, run: () => void) {
      waits.push(milliseconds);
      const timer = setTimeout(run);
      return () => clearTimeout(timer);
    },
  };
  const toolbox = await connect(server.url, { signal: abort.signal, onUnreached, clock });
  await expect(toolbox.refresh()).rejects.toThrow("not any more");
  expect([onUnreached.mock.calls.length, waits.length, toolbox.problems]).toEqual([1, 1, []]);
});

test("if the signal aborts after the server has sent its session id, the session is ended", async () => {
  const abort = new AbortController();
  const reason = new Error("not any more");
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead({ method }) {
      if (method !== "notifications/initialized") return false;
      abort.abort(reason);
      return true;
    },
  });
  await expect(connect(server.url, { signal: abort.signal })).rejects.toBe(reason);
  await expect.poll(() => [server.of("DELETE").length, server.sessions()]).toEqual([1, []]);
});

/** A server that opens a session when the test allows it, and the result. */
async function startSlow() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const server = await startServer({ era: "legacy", register: registerEcho });
  const signals: (AbortSignal | null | undefined)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isFirst = String(init?.body as string).includes('"initialize"');
    if (!isFirst) return server.fetch(input, init);
    signals.push(init?.signal);
    await unlessAborted(opened, init?.signal ?? undefined);
    return server.fetch(input, init);
  };
  return { server, fetch, open, signals };
}

test("a session that the server opens after connecting was given up is ended, with the same credentials", async () => {
  const { server, fetch, open, signals } = await startSlow();
  const abort = new AbortController();
  const reason = new Error("not any more");
  const headers = { Authorization: "Bearer abc" };
  let isGivenUp = false;
  const clock = {
    now: () => 0,
    after(milliseconds: number) {
      isGivenUp ||= milliseconds === 2000;
      return () => {};
    },
  };
  const connecting = connect(server.url, { signal: abort.signal, headers, fetch, clock });
  await expect.poll(() => signals.length).toBe(1);
  abort.abort(reason);
  await expect(connecting).rejects.toBe(reason);
  await expect.poll(() => isGivenUp).toBe(true);
  open();
  await expect.poll(() => server.of("DELETE").length).toBe(1);
  const [{ headers: sent, text }] = server.of("DELETE") as [HeardRequest];
  expect([sent["authorization"], sent["content-type"], text]).toEqual(["Bearer abc", undefined, ""]);
  expect([server.of("initialize").length, server.sessions()]).toEqual([1, []]);
});

test("a server that opens none in that time is asked no longer", async () => {
  const { server, fetch, signals } = await startSlow();
  const abort = new AbortController();
  const connecting = connect(server.url, { signal: abort.signal, fetch, limits: { farewellTime: 0 } });
  await expect.poll(() => signals.length).toBe(1);
  abort.abort(new Error("not any more"));
  await expect(connecting).rejects.toThrow();
  await expect.poll(() => signals[0]?.aborted).toBe(true);
});
