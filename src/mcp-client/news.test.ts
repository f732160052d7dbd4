import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import type { HeardRequest } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

const isForNotifications = ({ http, method }: HeardRequest) => http === "GET" || method === "subscriptions/listen";

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
