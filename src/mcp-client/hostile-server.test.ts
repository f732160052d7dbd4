import { expect, test } from "vitest";
import type { OfferChange } from "../wire/index.ts";
import { startServer } from "./mcp-server.test-helper.ts";
import { connect, environment, toolNames } from "./mcp-toolbox.test-helper.ts";
import { answering, registerEcho } from "./server-tools.test-helper.ts";

const inputSchema = { type: "object" } as const;

test("a server that notifies of a change on every read is used, and read at a limited rate", async () => {
  const waits: number[] = [];
  const server = await startServer({
    era: "legacy",
    register(mcp) {
      mcp.server.setRequestHandler("tools/list", async () => {
        await mcp.server.sendToolListChanged();
        return { tools: [{ name: "tool", inputSchema }] };
      });
    },
  });
  const toolbox = await connect(server.url, {
    clock: {
      now: () => 0,
      after(milliseconds, run) {
        if (milliseconds < 1000 && waits.push(milliseconds) < 3) queueMicrotask(run);
        return () => {};
      },
    },
  });
  await server.listened();
  await server.changed("tools");
  await expect.poll(() => waits.length).toBe(3);
  expect(toolNames(toolbox)).toEqual(["tool"]);
  expect(Math.min(...waits)).toBeGreaterThan(100);
  await toolbox.close();
});

test("a change is reported even if the next read of the list fails", async () => {
  let reads = 0;
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "tools/list") return false;
      reads++;
      if (reads === 3) response.writeHead(500).end();
      if (reads === 2) void server.changed("tools");
      const tools = [{ name: reads === 1 ? "old" : "new", inputSchema }];
      return reads === 3 || (answering({ "tools/list": () => ({ tools }) })?.(request, response) ?? false);
    },
  });
  const toolbox = await connect(server.url);
  await server.listened();
  const changes: OfferChange[] = [];
  toolbox.subscribe((change) => changes.push(change));
  await server.changed("tools");
  await expect.poll(() => reads).toBe(3);
  await expect.poll(() => toolbox.problems.length).toBe(1);
  expect(toolNames(toolbox)).toEqual(["new"]);
  expect(changes).toMatchObject([{ add: { tools: [{ name: "new" }] }, remove: { tools: ["old"] } }]);
});

test("of a list of rubbish no more is read, or complained of, than of a good one", async () => {
  const tools = [...Array<null>(1000).fill(null), { name: "late", inputSchema }];
  const server = await startServer({ instead: answering({ "tools/list": () => ({ tools }) }) });
  const toolbox = await connect(server.url, { limits: { offersPerServer: 10 } });
  expect(toolNames(toolbox)).toEqual([]);
  expect(toolbox.problems).toHaveLength(11);
});

test("the parts of a list are no larger together than one message may be", async () => {
  let parts = 0;
  const server = await startServer({
    instead: answering({
      "tools/list": () => ({
        tools: [{ name: `tool-${++parts}`, inputSchema, description: "x".repeat(10_000) }],
        nextCursor: String(parts),
      }),
    }),
  });
  const toolbox = await connect(server.url, { limits: { frameBytes: 50_000 } });
  expect(parts).toBe(5);
  expect(toolbox.problems).toMatchObject([{ message: expect.stringContaining("frameBytes") as string }]);
});

test.each([0, 1e12])(
  "a server that ends its stream and wants it opened again in %d ms gets a time that can be waited",
  async (retry) => {
    const waits = new Set<{ readonly milliseconds: number }>();
    const server = await startServer({
      era: "legacy",
      register: registerEcho,
      instead({ http }, response) {
        if (http === "GET") response.writeHead(200, { "content-type": "text/event-stream" }).end(`retry: ${retry}\n\n`);
        return http === "GET";
      },
    });
    await connect(server.url, {
      clock: {
        now: () => 0,
        after(milliseconds) {
          const wait = { milliseconds };
          waits.add(wait);
          return () => void waits.delete(wait);
        },
      },
    });
    await expect.poll(() => waits.size).toBe(1);
    const [wait] = waits;
    expect(wait?.milliseconds).toBeGreaterThanOrEqual(100);
    expect(wait?.milliseconds).toBeLessThan(2 ** 31);
  },
);

test.each(["application/json", "text/event-stream"])("a message of %s without an end is cut off", async (type) => {
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "tools/call") return false;
      response.writeHead(200, { "content-type": type }).write("data: ");
      const more = () => void (response.destroyed || response.write("x".repeat(10_000), () => setImmediate(more)));
      more();
      return true;
    },
  });
  const toolbox = await connect(server.url, { limits: { frameBytes: 50_000 } });
  expect(await toolbox.callTool("echo", {}, environment())).toMatchObject({ kind: "failed" });
});

test("a stream of many messages is no large message", async () => {
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "tools/call") return false;
      const { progressToken } = (request.body["params"] as { _meta: { progressToken: number } })._meta;
      const send = (message: object) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\r\n\r\n`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let progress = 1; progress <= 100; progress++) {
        const params = { progressToken, progress, message: "x".repeat(1000) };
        send({ method: "notifications/progress", params });
      }
      send({ id: request.body["id"] as number, result: { resultType: "complete", content: [] } });
      response.end();
      return true;
    },
  });
  const toolbox = await connect(server.url, { limits: { frameBytes: 5000 } });
  const caller = environment();
  expect(await toolbox.callTool("echo", {}, caller)).toMatchObject({ kind: "result" });
  expect(caller.heard).toHaveLength(100);
});

test("an answer that nests too deep to be written again is none", async () => {
  const tools = [{ name: "deep", inputSchema: { type: "object" } }];
  const server = await startServer({
    instead(request, response) {
      if (request.method !== "tools/call")
        return answering({ "tools/list": () => ({ tools }) })?.(request, response) ?? false;
      const deep = "[".repeat(200_000) + "]".repeat(200_000);
      const result = `{"resultType":"complete","content":[],"structuredContent":${deep}}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(request.body["id"])},"result":${result}}`);
      return true;
    },
  });
  const toolbox = await connect(server.url);
  expect(await toolbox.callTool("deep", {}, environment())).toMatchObject({ kind: "failed" });
});
