import { inputRequired } from "@modelcontextprotocol/server";
import type { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../wire/index.ts";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import type { Era } from "./mcp-server.test-helper.ts";
import { connect, environment, resultOf } from "./mcp-toolbox.test-helper.ts";
import { answering } from "./server-tools.test-helper.ts";

const form = { type: "object" as const, properties: { size: { type: "string" as const } } };
const question = { message: "Which size?", requestedSchema: form };
const sampling = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "A name?" } }],
  maxTokens: 5,
};

/** Tools that ask a question first, in the way of their era, and return the answer. */
function registerAsking(era: Era) {
  const told = (answer: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(answer) }] });
  return (mcp: McpServer) => {
    mcp.registerTool("order", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      if (era === "legacy") return told(await mcp.server.elicitInput({ mode: "form", ...question }));
      const { size } = mcpReq.inputResponses ?? {};
      if (size) return told(size);
      return inputRequired({ inputRequests: { size: inputRequired.elicit({ mode: "form", ...question }) } }) as never;
    });
    mcp.registerTool("name", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      if (era === "legacy") return told(await mcp.server.createMessage(sampling));
      const { name } = mcpReq.inputResponses ?? {};
      if (name) return told(name);
      return inputRequired({ inputRequests: { name: inputRequired.createMessage(sampling) } }) as never;
    });
  };
}

const saidBy = (result: JsonObject): unknown => {
  const [{ text } = { text: "" }] = result["content"] as { text: string }[];
  return JSON.parse(text);
};

describe.each(eras)("a server of the %s era", (era) => {
  test("what a tool asks its caller's user or model is asked of the caller, and the answer goes back", async () => {
    const server = await startServer({ era, register: registerAsking(era) });
    const toolbox = await connect(server.url);
    const accepted = { action: "accept", content: { size: "L" } };
    const user = environment({ answer: async () => accepted });
    expect(saidBy(resultOf(await toolbox.callTool("order", {}, user)))).toEqual(accepted);
    expect(user.heard.filter(([what]) => what !== "progress")).toMatchObject([["elicitation/create", question]]);
    const said = { role: "assistant", content: { type: "text", text: "Ada" }, model: "m" };
    const model = environment({ answer: async () => said });
    expect(saidBy(resultOf(await toolbox.callTool("name", {}, model)))).toMatchObject(said);
    expect(model.heard.filter(([what]) => what !== "progress")).toMatchObject([["sampling/createMessage", sampling]]);
  });

  test("an unanswered question is declined, or the call fails if declining is impossible", async () => {
    const server = await startServer({ era, register: registerAsking(era) });
    const toolbox = await connect(server.url);
    const declined = await toolbox.callTool("order", {}, environment());
    expect(saidBy(resultOf(declined))).toMatchObject({ action: "decline" });
    const failed = await toolbox.callTool("name", {}, environment());
    expect(failed).toMatchObject(era === "legacy" ? { isError: true } : { kind: "failed", code: "ask-failed" });
  });

  test("a server gets the kinds of questions that its callers support", async () => {
    const server = await startServer({ era, register: registerAsking(era) });
    await connect(server.url, { asks: [] });
    await connect(server.url);
    const told = server.heard.map(({ body }) => JSON.stringify(body)).filter((text) => text.includes("apabilities"));
    expect([told.at(0), told.at(-1)].map((text) => /elicitation.*sampling/.test(text ?? ""))).toEqual([false, true]);
  });
});

test("in a session it is unknown which of several calls asks, so the question is declined", async () => {
  const server = await startServer({ era: "legacy", register: registerAsking("legacy") });
  const toolbox = await connect(server.url);
  const callers = [1, 2].map(() => environment({ answer: async () => ({ action: "accept", content: { size: "L" } }) }));
  const outcomes = await Promise.all(callers.map((caller) => toolbox.callTool("order", {}, caller)));
  expect(outcomes.map(resultOf).map(saidBy)).toMatchObject([{ action: "decline" }, { action: "decline" }]);
  expect(callers.flatMap(({ heard }) => heard)).toEqual([]);
});

test("a caller that takes rounds gets the questions, and sends the answers with its next call", async () => {
  const server = await startServer({ register: registerAsking("modern") });
  const toolbox = await connect(server.url);
  const first = await toolbox.callTool("order", {}, environment({ rounds: true }));
  expect(first).toMatchObject({ kind: "result", isError: false, inputRequired: true });
  expect(resultOf(first)).toMatchObject({
    resultType: "input_required",
    inputRequests: { size: { method: "elicitation/create", params: question } },
  });
  const size = { action: "accept", content: { size: "S" } };
  const again = environment({ rounds: true, input: { responses: { size } } });
  expect(saidBy(resultOf(await toolbox.callTool("order", {}, again)))).toEqual(size);
});

test.each([
  ["never ends", { inputRequests: { size: { method: "elicitation/create", params: question } } }, 8],
  ["asks what there is not", { inputRequests: { size: { method: "wallet/open", params: {} } } }, 1],
])("a server that %s is not asked on and on", async (_, input, calls) => {
  const tools = [{ name: "order", inputSchema: { type: "object" } }];
  const server = await startServer({
    instead: answering({
      "tools/list": () => ({ tools }),
      "tools/call": () => ({ resultType: "input_required", requestState: "s", ...input }),
    }),
  });
  const toolbox = await connect(server.url);
  expect(await toolbox.callTool("order", {}, environment())).toMatchObject({ kind: "failed", code: "ask-failed" });
  expect(server.of("tools/call")).toHaveLength(calls);
});
