import type { ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

const isForNotifications = ({ http, method }: HeardRequest) => http === "GET" || method === "subscriptions/listen";

const offeringNames = (names: () => readonly string[]) => (mcp: McpServer) => {
  registerEcho(mcp);
  const inputSchema = { type: "object" as const };
  mcp.server.setRequestHandler("tools/list", () => ({ tools: names().map((name) => ({ name, inputSchema })) }));
};

/** A clock on which every timer fires at once, and the delays of those timers. */
function quickClock() {
  const waits: number[] = [];
  const clock = {
    now: () => performance.now(),
    after(milliseconds: number, run: () => void) {
      waits.push(milliseconds);
      const timer = setTimeout(run);
      return () => clearTimeout(timer);
    },
  };
  return { waits, clock };
}

const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "429": (response) => response.writeHead(429).end(),
  "502": (response) => response.writeHead(502).end("Bad Gateway"),
  "503": (response) => response.writeHead(503).end(),
  "a reset": (response) => response.destroy(),
};

describe.each(eras)("a server of the %s era", (era) => {
  test.each(Object.keys(failures))(
    "whose stream of news fails with %s at its start is used, and its stream is looked for again with longer waits",
    async (how) => {
      let left = 3;
      let name = "old";
      const server = await startServer({
        era,
        register(mcp) {
          registerEcho(mcp);
          mcp.registerTool(name, {}, () => ({ content: [] }));
        },
        instead(request, response) {
          if (request.method === "tools/list" && left === 0 && name === "old") name = "new";
          if (!isForNotifications(request) || left === 0) return false;
          left--;
          failures[how]?.(response);
          return true;
        },
      });
      const { clock, waits } = quickClock();
      const toolbox = await connect(server.url, { clock, random: () => 0.5 });
      expect(toolNames(toolbox)).toContain("echo");
      const lists = () => server.of("tools/list").length;
      await expect.poll(() => [left, lists() > 1]).toEqual([0, true]);
      const longer = () => waits.filter((wait) => [250, 500, 1000].includes(wait)).slice(0, 3);
      await expect.poll(longer).toEqual([250, 500, 1000]);
      expect(toolbox.problems).toHaveLength(1);
      expect(toolbox.problems[0]?.stage).toBe("mcp server");
      resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
      expect(server.sessions().length).toBe(era === "legacy" ? 1 : 0);
    },
  );

  test("that has no notification stream, however it says so, is used without one and asked once", async () => {
    for (const refuse of [
      (response: ServerResponse) => response.writeHead(405).end(),
      (response: ServerResponse) => response.writeHead(404).end("Cannot GET /mcp: no session here"),
      (response: ServerResponse) => response.writeHead(501).end(),
    ]) {
      const server = await startServer({
        era,
        register: registerEcho,
        instead(request, response) {
          if (isForNotifications(request)) refuse(response);
          return isForNotifications(request);
        },
      });
      const { clock } = quickClock();
      const toolbox = await connect(server.url, { clock });
      await server.listened();
      resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
      expect(server.heard.filter(isForNotifications)).toHaveLength(1);
      expect(toolbox.problems).toHaveLength(era === "legacy" ? 0 : 1);
    }
  });
});

test("a web page instead of a notification stream means none, and is not requested again", async () => {
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (isForNotifications(request)) response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
      return isForNotifications(request);
    },
  });
  const { clock } = quickClock();
  const toolbox = await connect(server.url, { clock });
  await server.listened();
  resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
  expect([server.of("GET").length, toolbox.problems]).toEqual([1, []]);
});

test("a notification stream that ends is reopened in the same session, even after failed attempts, and changes are read", async () => {
  let stream: ServerResponse | undefined;
  let left = 0;
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (!isForNotifications(request)) return false;
      if (left > 0) {
        left--;
        response.writeHead(503).end();
        return true;
      }
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.flushHeaders();
      return true;
    },
  });
  const { clock } = quickClock();
  const toolbox = await connect(server.url, { clock });
  await expect.poll(() => stream).toBeDefined();
  const lists = server.of("tools/list").length;
  left = 3;
  stream?.end();
  await expect.poll(() => [left, server.of("tools/list").length > lists]).toEqual([0, true]);
  expect([server.of("initialize").length, toolbox.problems.length]).toEqual([1, 1]);
});

/** A session's server whose answers to requests for its stream are the test's, in order; then it has a stream. */
async function serveStream(...answers: readonly ((response: ServerResponse) => void)[]) {
  const rest = [...answers];
  const open: ServerResponse[] = [];
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (!isForNotifications(request)) return false;
      const answer = rest.shift();
      if (answer) answer(response);
      else {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        open.push(response);
      }
      return true;
    },
  });
  return { server, rest, open, lists: () => server.of("tools/list").length };
}

const unavailable = (response: ServerResponse) => response.writeHead(503).end();
const ending = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" }).end();

test.each([
  ["seconds", () => "40"],
  ["a date", () => new Date(Date.now() + 45_000).toUTCString()],
])("MC49: a server that names a time to come again, as %s, is left alone until then", async (_, when) => {
  const { server } = await serveStream((response) => response.writeHead(429, { "retry-after": when() }).end());
  const { clock, waits } = quickClock();
  await connect(server.url, { clock, random: () => 0.5 });
  await expect.poll(() => server.of("GET").length).toBe(2);
  expect(waits.filter((wait) => wait > 30_000 && wait <= 45_250)).toHaveLength(1);
});

test("MC49: a server of the newer era that names a time to come again is left alone until then, too", async () => {
  let isBusy = true;
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (!isForNotifications(request) || !isBusy) return false;
      isBusy = false;
      response.writeHead(429, { "retry-after": "40" }).end();
      return true;
    },
  });
  const { clock, waits } = quickClock();
  const toolbox = await connect(server.url, { clock, random: () => 0.5 });
  await expect.poll(() => [server.of("subscriptions/listen").length, server.of("tools/list").length]).toEqual([2, 2]);
  expect(waits.filter((wait) => wait > 30_000 && wait <= 40_250)).toHaveLength(1);
  expect(toolbox.problems).toHaveLength(1);
});

test("a server that names a time of days, or none that can be read, is asked again within an hour", async () => {
  const answers = ["9999999", "soon", "-5"].map(
    (after) => (response: ServerResponse) => response.writeHead(503, { "retry-after": after }).end(),
  );
  for (const answer of answers) {
    const { server, open } = await serveStream(answer);
    const { clock, waits } = quickClock();
    await connect(server.url, { clock, random: () => 0.5 });
    await expect.poll(() => open.length).toBe(1);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60 * 60_000 + 250);
  }
});

test("MC49: a notification stream that ends as soon as it is opened is opened again after longer and longer waits", async () => {
  const { server, open } = await serveStream(...Array<typeof ending>(7).fill(ending));
  const { clock, waits } = quickClock();
  const toolbox = await connect(server.url, { clock, random: () => 0.5 });
  await expect.poll(() => open.length).toBe(1);
  expect(waits.filter((wait) => wait >= 1000).slice(0, 7)).toEqual([1250, 1500, 2000, 3000, 5000, 9000, 16_000]);
  expect([toolbox.problems, server.of("initialize").length]).toEqual([[], 1]);
});

test("MC49, MC50: an outage of the notification stream is told once, and the next one, too; after each the lists are read once", async () => {
  const { server, rest, open, lists } = await serveStream(unavailable, unavailable, unavailable);
  const { clock } = quickClock();
  const toolbox = await connect(server.url, { clock });
  for (const outages of [1, 2]) {
    await expect.poll(() => [open.length, lists()]).toEqual([outages, 1 + outages]);
    expect(toolbox.problems.map(({ stage }) => stage)).toEqual(Array(outages).fill("mcp server"));
    rest.push(unavailable, unavailable);
    open.at(-1)?.end();
  }
  await expect.poll(() => open.length).toBe(3);
});

test("MC51: a later 405 means that there are no more notifications, and nothing is told", async () => {
  const { server, rest, open } = await serveStream();
  const { clock } = quickClock();
  const toolbox = await connect(server.url, { clock });
  await expect.poll(() => open.length).toBe(1);
  rest.push((response) => response.writeHead(405).end());
  open[0]?.end();
  await expect.poll(() => rest.length).toBe(0);
  resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()));
  expect([server.of("GET").length, server.of("initialize").length, toolbox.problems]).toEqual([2, 1, []]);
});

test("MC51: a later 404 means that the session is gone: another is begun, and its lists are read once", async () => {
  const { server, rest, open, lists } = await serveStream();
  const { clock } = quickClock();
  const toolbox = await connect(server.url, { clock });
  await expect.poll(() => open.length).toBe(1);
  rest.push((response) => response.writeHead(404).end("Session not found"));
  server.expire();
  open[0]?.end();
  await expect.poll(() => [open.length, lists()]).toEqual([2, 2]);
  expect([server.of("initialize").length, server.sessions().length]).toEqual([2, 1]);
  const message = `The MCP server at ${server.url} has forgotten the session.`;
  expect(toolbox.problems).toMatchObject([{ message, stage: "mcp connection" }]);
});

test("a stream of the newer era that its server ends is opened again, and what changed is read", async () => {
  let id: unknown;
  let news: ServerResponse | undefined;
  let name = "old";
  const server = await startServer({
    register: (mcp) => void mcp.registerTool(name, {}, () => ({ content: [] })),
    instead(request, response) {
      if (isForNotifications(request)) [id, news] = [request.body["id"], response];
      return false;
    },
  });
  const toolbox = await connect(server.url);
  await server.listened();
  name = "new";
  const meta = { "io.modelcontextprotocol/subscriptionId": id };
  const result = { resultType: "complete", _meta: meta };
  news?.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  await expect.poll(() => toolNames(toolbox)).toEqual(["new"]);
  expect([server.of("subscriptions/listen").length, server.of("server/discover").length]).toEqual([2, 1]);
  expect(toolbox.problems).toEqual([]);
});

test("a stream of the newer era that is answered late delays no start, and the lists are read when it is", async () => {
  let answer = () => {};
  let name = "old";
  const server = await startServer({ register: (mcp) => void mcp.registerTool(name, {}, () => ({ content: [] })) });
  const late = new Promise<void>((resolve) => (answer = resolve));
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(init?.body as string | undefined).includes("subscriptions/listen")) await late;
    return globalThis.fetch(input, init);
  };
  const toolbox = await connect(server.url, { fetch });
  expect(toolNames(toolbox)).toEqual(["old"]);
  name = "new";
  answer();
  await expect.poll(() => toolNames(toolbox)).toEqual(["new"]);
  expect(toolbox.problems).toEqual([]);
});

test("a list that cannot be read after a change is read until it can, and the failure is told once", async () => {
  for (const fail of [unavailable, (response: ServerResponse) => response.destroy()]) {
    let left = 0;
    let name = "old";
    const server = await startServer({
      era: "legacy",
      register: offeringNames(() => [name]),
      instead({ method }, response) {
        if (method !== "tools/list" || left === 0) return false;
        left--;
        fail(response);
        return true;
      },
    });
    const { clock } = quickClock();
    const toolbox = await connect(server.url, { clock, lists: ["tools"] });
    await server.listened();
    [left, name] = [4, "new"];
    await server.changed("tools");
    await expect.poll(() => toolNames(toolbox)).toEqual(["new"]);
    expect([left, toolbox.problems.length]).toEqual([0, 1]);
  }
});

test("close ends the retries for a notification stream", async () => {
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (isForNotifications(request)) response.writeHead(503).end();
      return isForNotifications(request);
    },
  });
  const stops: number[] = [];
  const clock = { now: () => 0, after: (wait: number) => () => void stops.push(wait) };
  const toolbox = await connect(server.url, { clock, random: () => 0.5 });
  await expect.poll(() => toolbox.problems.length).toBe(1);
  await toolbox.close();
  expect(stops).toContain(250);
});

test("changes before a session's notification stream opens are read when it does; otherwise the lists are read once", async () => {
  let isHeld = true;
  const server = await startServer({
    era: "legacy",
    register: registerEcho,
    instead(request, response) {
      if (!isForNotifications(request)) return false;
      const stream = response.writeHead(200, { "content-type": "text/event-stream" });
      if (!isHeld) stream.flushHeaders();
      held = () => stream.flushHeaders();
      return true;
    },
  });
  let held = () => {};
  const { clock } = quickClock();
  const toolbox = await connect(server.url, { clock });
  await server.listened();
  const lists = server.of("tools/list").length;
  held();
  await expect.poll(() => server.of("tools/list").length).toBe(lists + 1);
  await toolbox.close();
  isHeld = false;
  await connect(server.url);
  expect(server.of("tools/list").length).toBe(lists + 2);
});
