import { describe, expect, test } from "vitest";
import { z } from "zod";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf } from "./mcp-toolbox.test-helper.ts";
import { answering, createHold, paramsOf, registerEcho } from "./server-tools.test-helper.ts";

const echo = { name: "echo", inputSchema: { type: "object" } };
const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

describe.each(eras)("a server of the %s era", (era) => {
  test("a call gets the server's whole result", async () => {
    const server = await startServer({
      era,
      register(mcp) {
        registerEcho(mcp);
        const outputSchema = z.object({ sum: z.number() });
        mcp.registerTool("sum", { inputSchema: z.object({}), outputSchema }, () => ({
          content: [{ type: "image", data: "AAAA", mimeType: "image/png", annotations: { priority: 1 } }],
          structuredContent: { sum: 3 },
          _meta: { "x/y": [1] },
        }));
        mcp.registerTool("fail", { inputSchema: z.object({}) }, () => ({ ...text("out of paper"), isError: true }));
      },
    });
    const toolbox = await connect(server.url);
    expect(resultOf(await toolbox.callTool("echo", { text: "hi" }, environment()))).toMatchObject(text("hi"));
    expect(resultOf(await toolbox.callTool("sum", {}, environment()))).toMatchObject({
      content: [{ type: "image", data: "AAAA", mimeType: "image/png", annotations: { priority: 1 } }],
      structuredContent: { sum: 3 },
      _meta: { "x/y": [1] },
    });
    const failed = await toolbox.callTool("fail", {}, environment());
    expect([failed, resultOf(failed)]).toMatchObject([{ isError: true }, { ...text("out of paper"), isError: true }]);
  });

  test("a cancelled call ends at once, and the server's handler is aborted", async () => {
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    const toolbox = await connect(server.url);
    const abort = new AbortController();
    const outcome = toolbox.callTool("hold", {}, environment({ signal: abort.signal }));
    await hold.started;
    abort.abort(new Error("no longer wanted"));
    expect(await outcome).toEqual({ kind: "aborted" });
    await hold.aborted;
    const early = environment({ signal: AbortSignal.abort() });
    expect(await toolbox.callTool("hold", {}, early)).toEqual({ kind: "aborted" });
    expect([server.of("tools/call").length, toolbox.problems]).toEqual([1, []]);
  });

  test("progress is reported as it arrives", async () => {
    const server = await startServer({
      era,
      register(mcp) {
        mcp.registerTool("work", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
          const { progressToken = 0 } = mcpReq._meta ?? {};
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: 1, total: 2, message: "half" },
          });
          return text("done");
        });
      },
    });
    const toolbox = await connect(server.url);
    const caller = environment();
    resultOf(await toolbox.callTool("work", {}, caller));
    expect(caller.heard).toEqual([["progress", 1, 2, "half"]]);
  });

  test("a call that is not done in time is given up, at the server too", async () => {
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    const toolbox = await connect(server.url);
    const outcome = await toolbox.callTool("hold", {}, environment({ left: 100 }));
    expect(outcome).toMatchObject({ kind: "failed", code: "deadline-exceeded" });
    await hold.aborted;
  });

  test("resources, prompts and completions are asked for in the same way", async () => {
    const server = await startServer({
      era,
      register({ server: low }) {
        low.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [{ uri, text: "42" }] }));
        low.setRequestHandler("prompts/get", ({ params: { name, arguments: given } }) => ({
          messages: [{ role: "user", content: { type: "text", text: `${name} ${given?.["topic"]}` } }],
        }));
        low.setRequestHandler("completion/complete", ({ params }) => ({
          completion: { values: [`${params.argument.value}!`] },
        }));
      },
    });
    const toolbox = await connect(server.url);
    const read = await toolbox.readResource("app://report", environment());
    expect(resultOf(read)).toMatchObject({ contents: [{ uri: "app://report", text: "42" }] });
    const prompt = await toolbox.getPrompt("ask", { topic: "sales" }, environment());
    expect(resultOf(prompt)).toMatchObject({ messages: [{ content: { text: "ask sales" } }] });
    const parameters = { ref: { type: "ref/prompt", name: "ask" }, argument: { name: "topic", value: "sa" } };
    const completed = await toolbox.complete(parameters, environment());
    expect(resultOf(completed)).toMatchObject({ completion: { values: ["sa!"] } });
  });

  test("a resource that was read is followed: listeners are notified of updates", async () => {
    const server = await startServer({
      era,
      register({ server: low }) {
        low.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [{ uri, text: "42" }] }));
        if (era === "legacy") low.setRequestHandler("resources/subscribe", () => ({}));
      },
    });
    const toolbox = await connect(server.url);
    const updated: string[] = [];
    toolbox.onResourceUpdated((uri) => updated.push(uri));
    resultOf(await toolbox.readResource("app://report", environment()));
    const followed = () => server.of(era === "legacy" ? "resources/subscribe" : "subscriptions/listen").at(-1);
    await expect.poll(() => JSON.stringify(followed()?.body ?? {})).toContain("app://report");
    await expect
      .poll(async () => {
        await server.updated("app://report");
        return updated.length;
      })
      .toBeGreaterThan(0);
    expect(new Set(updated)).toEqual(new Set(["app://report"]));
  });
});

test("of a result nothing is lost, also what no client knows yet", async () => {
  const result = {
    content: [
      { type: "hologram", rays: [1] },
      { type: "text", text: "hi", extra: true },
    ],
    structuredContent: [1, "two"],
    isError: false,
    extra: { more: null },
    _meta: { a: 1 },
  };
  const server = await startServer({
    instead: answering({ "tools/list": () => ({ tools: [echo] }), "tools/call": () => result }),
  });
  const toolbox = await connect(server.url);
  expect(resultOf(await toolbox.callTool("echo", {}, environment()))).toEqual({
    ...result,
    ttlMs: 0,
    cacheScope: "private",
  });
});

test("arguments that a tool's schema wants repeated in headers are", async () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const tool = { name: "sales", inputSchema: { type: "object", properties: { region } } };
  const server = await startServer({
    instead: answering({ "tools/list": () => ({ tools: [tool] }), "tools/call": () => text("done") }),
  });
  const toolbox = await connect(server.url);
  resultOf(await toolbox.callTool("sales", { region: "EMEA" }, environment()));
  const [request] = server.of("tools/call");
  expect(request?.headers["mcp-param-region"]).toBe("EMEA");
  expect(paramsOf(request ?? fail())).toMatchObject({ name: "sales", arguments: { region: "EMEA" } });
});

test("what the server does not offer, and arguments that are none, never reach it", async () => {
  const server = await startServer({ register: registerEcho });
  const toolbox = await connect(server.url);
  const endless: { self?: object } = {};
  endless.self = endless;
  expect(await toolbox.callTool("sell", {}, environment())).toEqual({
    kind: "refused",
    code: "tool-not-found",
    message: `The MCP server at ${server.url} offers no tool "sell".`,
  });
  for (const given of [5, [1], null, "text", endless, { big: 1n }]) {
    expect(await toolbox.callTool("echo", given, environment())).toMatchObject({ code: "arguments-malformed" });
    expect(await toolbox.getPrompt("ask", given, environment())).toMatchObject({ code: "arguments-malformed" });
  }
  expect([...server.of("tools/call"), ...server.of("prompts/get")]).toEqual([]);
});

test.each([
  [-32_602, {}, { kind: "refused", code: "input-invalid" }],
  [-32_603, {}, { kind: "failed", code: "handler-failed" }],
  [-32_603, { "pagewire/code": "tab-gone", "pagewire/ran": "no" }, { kind: "refused", code: "tab-gone" }],
  [
    -32_602,
    { "pagewire/code": "outcome-unknown", "pagewire/ran": "maybe" },
    { kind: "failed", code: "outcome-unknown" },
  ],
  [-32_602, { "pagewire/code": "no such code" }, { kind: "refused", code: "input-invalid" }],
])("a server's error %s %j is told in its words, with whether the tool ran", async (code, data, outcome) => {
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id: request.body["id"], error: { code, message: "not so", data } }),
      );
      return true;
    },
  });
  const toolbox = await connect(server.url);
  expect(await toolbox.callTool("echo", {}, environment())).toMatchObject({
    ...outcome,
    message: expect.stringMatching(/server at http.*: .*not so/) as string,
  });
});

test.each([
  [401, "refused", "not-delivered"],
  [429, "refused", "not-delivered"],
  [500, "failed", "outcome-unknown"],
])("an HTTP answer of %i says whether the call was taken", async (status, kind, code) => {
  const server = await startServer({
    register: registerEcho,
    instead(request, response) {
      if (request.method === "tools/call") response.writeHead(status).end("sorry");
      return request.method === "tools/call";
    },
  });
  const toolbox = await connect(server.url);
  expect(await toolbox.callTool("echo", {}, environment())).toMatchObject({ kind, code });
});

function fail(): never {
  throw new Error("There was no such request.");
}
