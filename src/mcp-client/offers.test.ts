import type { McpServer } from "@modelcontextprotocol/server";
import { ResourceTemplate } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { OfferChange } from "../wire/index.ts";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import { connect, toolNames } from "./mcp-toolbox.test-helper.ts";
import { restTime } from "./read-schedule.ts";
import { answering, paramsOf, registerEcho } from "./server-tools.test-helper.ts";

const nothing = () => ({ content: [] });

/** A server whose tools currently have these names. */
function registerNames(names: () => readonly string[]) {
  return ({ server }: McpServer) => {
    server.setRequestHandler("tools/list", () => ({
      tools: names().map((name) => ({ name, inputSchema: { type: "object" as const } })),
    }));
  };
}

describe.each(eras)("a server of the %s era", (era) => {
  test("all that a server offers is offered, with all that it says of it", async () => {
    const annotations = { title: "Shop", readOnlyHint: true };
    const server = await startServer({
      era,
      register(mcp) {
        const inputSchema = z.object({ days: z.number() });
        const outputSchema = z.object({ sum: z.number() });
        const icons = [{ src: "https://example.com/icon.png", sizes: ["48x48"] }];
        const more = { title: "Sales", description: "Sums sales.", annotations, icons, _meta: { "x/y": 1 } };
        mcp.registerTool("sales", { ...more, inputSchema, outputSchema }, nothing as never);
        mcp.registerResource("report", "app://report", { mimeType: "text/plain" }, () => ({ contents: [] }));
        const template = new ResourceTemplate("app://report/{day}", { list: undefined });
        mcp.registerResource("reports", template, {}, () => ({ contents: [] }));
        mcp.registerPrompt("ask", { argsSchema: z.object({ topic: z.string() }) }, () => ({ messages: [] }));
      },
    });
    const toolbox = await connect(server.url);
    const { tools, resources, resourceTemplates, prompts } = toolbox.offer();
    expect(tools).toMatchObject([
      {
        name: "sales",
        title: "Sales",
        description: "Sums sales.",
        annotations,
        icons: [{ src: "https://example.com/icon.png", sizes: ["48x48"] }],
        inputSchema: { type: "object", properties: { days: { type: "number" } } },
        outputSchema: { type: "object", required: ["sum"] },
        _meta: { "x/y": 1 },
      },
    ]);
    expect(resources).toMatchObject([{ uri: "app://report", name: "report", mimeType: "text/plain" }]);
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "app://report/{day}", name: "reports" }]);
    expect(prompts).toMatchObject([{ name: "ask", arguments: [{ name: "topic", required: true }] }]);
    expect([toolbox.server, toolbox.instructions]).toEqual([{ name: "test server", version: "7" }, "Be kind."]);
    expect([toolbox.url, toolbox.problems]).toEqual([server.url, []]);
  });

  test("a server's changes are reported as differences, and an unchanged list is not reported", async () => {
    let names = ["keep", "leave"];
    const server = await startServer({ era, register: registerNames(() => names) });
    const toolbox = await connect(server.url);
    await server.listened();
    const changes: OfferChange[] = [];
    const stop = toolbox.subscribe((change) => changes.push(change));
    names = ["keep", "come"];
    await server.changed("tools");
    await expect
      .poll(() => changes)
      .toMatchObject([{ add: { tools: [{ name: "come" }] }, remove: { tools: ["leave"] } }]);
    expect(toolNames(toolbox)).toEqual(["keep", "come"]);
    const reads = server.of("tools/list").length;
    await server.changed("tools");
    await expect.poll(() => server.of("tools/list").length).toBeGreaterThan(reads);
    stop();
    names = ["keep"];
    await server.changed("tools");
    await expect.poll(() => toolNames(toolbox)).toEqual(["keep"]);
    expect(changes).toHaveLength(1);
  });
});

test("a list that comes in parts is followed to its end", async () => {
  const part = (cursor: unknown) => {
    const at = typeof cursor === "string" ? Number(cursor) : 0;
    const tools = [{ name: `tool-${at}`, inputSchema: { type: "object" } }];
    return at < 3 ? { tools, nextCursor: String(at + 1) } : { tools };
  };
  const server = await startServer({ instead: answering({ "tools/list": (params) => part(params["cursor"]) }) });
  const toolbox = await connect(server.url);
  expect(toolNames(toolbox)).toEqual(["tool-0", "tool-1", "tool-2", "tool-3"]);
  expect(server.of("tools/list").map((request) => paramsOf(request)["cursor"])).toEqual([undefined, "1", "2", "3"]);
});

test.each([
  ["always says the same", () => "again", 2],
  ["always goes on", () => String(Math.random()), 5],
])("a list that %s has an end all the same", async (_, nextCursor, parts) => {
  const tools = [{ name: "tool", inputSchema: { type: "object" } }];
  const server = await startServer({
    instead: answering({ "tools/list": () => ({ tools, nextCursor: nextCursor() }) }),
  });
  const toolbox = await connect(server.url, { limits: { pagesPerList: 5 } });
  expect(toolNames(toolbox)).toEqual(["tool"]);
  expect(server.of("tools/list")).toHaveLength(parts);
});

test("unreadable items are left out and reported by name, and the others are offered", async () => {
  const inputSchema = { type: "object" };
  let deep: object = {};
  for (let depth = 0; depth < 70; depth++) deep = { deep };
  const tools = [
    { name: "good", inputSchema, strange: { kept: true } },
    { name: "bad schema", inputSchema },
    { name: "list", inputSchema: { type: "array" } },
    { name: "no-schema" },
    { name: "big", inputSchema: { type: "object", description: "x".repeat(70_000) } },
    { name: "deep", inputSchema: { type: "object", deep } },
    { name: "output", inputSchema, outputSchema: 5 },
    { name: "titled", inputSchema, title: 5 },
    { name: "good", inputSchema, description: "another" },
    { name: "__proto__", inputSchema },
    { inputSchema },
    null,
    "tool",
  ];
  const resources = [
    { uri: 5, name: "no" },
    { uri: "app://report", name: "report" },
  ];
  const server = await startServer({
    instead: answering({ "tools/list": () => ({ tools }), "resources/list": () => ({ resources }) }),
  });
  const toolbox = await connect(server.url);
  expect(toolbox.offer().tools).toMatchObject([{ name: "good", strange: { kept: true } }]);
  expect(toolbox.offer().resources).toMatchObject([{ uri: "app://report" }]);
  expect(toolbox.problems.map(({ stage }) => stage)).toEqual(Array(13).fill("mcp offer"));
  const codes = toolbox.problems.map(({ code }) => code);
  for (const code of ["name-invalid", "schema-invalid", "schema-too-large", "frame-malformed"])
    expect(codes).toContain(code);
  const told = toolbox.problems.map(({ message }) => message).join("\n");
  for (const name of ["bad schema", "list", "no-schema", "big", "deep", "output", "titled", "good", "__proto__"]) {
    expect(told).toContain(`"${name}"`);
  }
});

test("items beyond the limit are left out and reported", async () => {
  const tools = Array.from({ length: 5 }, (_, at) => ({ name: `tool-${at}`, inputSchema: { type: "object" } }));
  const server = await startServer({ instead: answering({ "tools/list": () => ({ tools }) }) });
  const toolbox = await connect(server.url, { limits: { offersPerServer: 3 } });
  expect(toolNames(toolbox)).toEqual(["tool-0", "tool-1", "tool-2"]);
  expect(toolbox.problems).toMatchObject([{ message: expect.stringContaining("offersPerServer") as string }]);
});

test("a list that is none leaves what was there; a server without tools cannot be used", async () => {
  const prompts = await startServer({
    register: registerEcho,
    instead: answering({ "prompts/list": () => ({ prompts: 5 }) }),
  });
  const toolbox = await connect(prompts.url);
  expect(toolNames(toolbox)).toEqual(["echo"]);
  expect(toolbox.problems).toMatchObject([{ message: expect.stringContaining("prompts/list") as string }]);
  const tools = await startServer({ instead: answering({ "tools/list": () => ({}) }) });
  await expect(connect(tools.url)).rejects.toMatchObject({ message: expect.stringContaining("tools/list") as string });
});

function registerPrompt(mcp: McpServer): void {
  registerEcho(mcp);
  mcp.registerPrompt("greet", { description: "Greets." }, () => ({ messages: [] }));
}

test("a list that the server could not give at first is read until it is there, told once, and the others are there meanwhile", async () => {
  let failures = 3;
  const server = await startServer({
    register: registerPrompt,
    instead(request, response) {
      if (request.method !== "prompts/list" || failures === 0) return false;
      failures--;
      response.writeHead(failures === 1 ? 429 : 503).end();
      return true;
    },
  });
  const toolbox = await connect(server.url);
  expect([toolNames(toolbox), toolbox.offer().prompts]).toEqual([["echo"], []]);
  await expect.poll(() => toolbox.offer().prompts.map(({ name }) => name)).toEqual(["greet"]);
  expect(toolbox.problems).toHaveLength(1);
  expect(server.of("tools/list")).toHaveLength(1);
  expect(server.of("prompts/list")).toHaveLength(4);
});

test.each([
  ["could not give at first, and then never answers", 503],
  ["gave, and then never answers", 200],
])("a list that the server %s keeps back no change of the tools", async (_, first) => {
  let names = ["old"];
  let asked = 0;
  const server = await startServer({
    register(mcp) {
      registerPrompt(mcp);
      registerNames(() => names)(mcp);
    },
    instead(request, response) {
      if (request.method !== "prompts/list") return false;
      asked++;
      if (asked === 1 && first === 503) response.writeHead(503).end();
      return asked > 1 || first === 503;
    },
  });
  const toolbox = await connect(server.url);
  await server.listened();
  if (first === 200) await server.changed("prompts");
  await expect.poll(() => asked).toBe(2);
  for (const name of ["new", "newer"]) {
    names = [name];
    await server.changed("tools");
    await expect.poll(() => toolNames(toolbox)).toEqual([name]);
  }
  expect(asked).toBe(2);
});

test("a change of the tools has no list read that rests after a failure", async () => {
  let names = ["old"];
  const server = await startServer({
    register(mcp) {
      registerPrompt(mcp);
      registerNames(() => names)(mcp);
    },
    instead(request, response) {
      if (request.method === "prompts/list") response.writeHead(503).end();
      return request.method === "prompts/list";
    },
  });
  const clock = {
    now: () => Date.now(),
    // The retries of the list rest for ever, all else does not.
    after(milliseconds: number, run: () => void) {
      const timer = milliseconds > restTime ? undefined : setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const toolbox = await connect(server.url, { clock });
  await server.listened();
  names = ["new"];
  await server.changed("tools");
  await expect.poll(() => toolNames(toolbox)).toEqual(["new"]);
  expect(server.of("prompts/list")).toHaveLength(1);
});

test("a list that the server refuses for good, or of one that is not followed, is not read again", async () => {
  for (const [status, follow] of [
    [404, true],
    [503, false],
  ] as const) {
    const server = await startServer({
      register: registerPrompt,
      instead(request, response) {
        if (request.method === "prompts/list") response.writeHead(status).end();
        return request.method === "prompts/list";
      },
    });
    const toolbox = await connect(server.url, { follow });
    await toolbox.refresh();
    expect([server.of("prompts/list").length, toolbox.problems.length]).toEqual([2, 2]);
  }
});

test("where the server is not followed nothing stays open, and the lists are read again when asked", async () => {
  for (const era of eras) {
    let names = ["one"];
    const server = await startServer({ era, register: registerNames(() => names) });
    const toolbox = await connect(server.url, { follow: false, lists: ["tools"] });
    names = ["two"];
    server.expire();
    await toolbox.refresh();
    expect(toolNames(toolbox)).toEqual(["two"]);
    expect([server.of("GET"), server.of("subscriptions/listen"), server.of("prompts/list")]).toEqual([[], [], []]);
  }
});
