import { expect, test, vi } from "vitest";
import { PagewireError } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import { environment, makeToolbox, resultOf, settled, textOf } from "./call.test-helper.ts";
import type { GivenEnvironment } from "./call.test-helper.ts";
import type { CallContext, CallInput } from "./context.ts";
import type { PromptAnswer, ResourceAnswer } from "./definitions.ts";
import type { CallOutcome } from "./toolbox.ts";

const allAsks: readonly AskMethod[] = ["elicitation/create", "sampling/createMessage", "roots/list"];
const resultType = "input_required";
const sure = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: { type: "object" } } };
const roots = { method: "roots/list" };
const question = { resultType, inputRequests: { sure }, requestState: "first" };

/** Runs a tool's handler, and returns the outcome of the call. */
async function run(execute: (context: CallContext) => unknown, given: GivenEnvironment = {}) {
  const toolbox = makeToolbox();
  const outputSchema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
  toolbox.registerTool({ name: "x", outputSchema, execute: (_input, context) => execute(context) });
  const caller = environment(given);
  return { outcome: await toolbox.callTool("x", {}, caller), heard: caller.heard, errors: toolbox.errors };
}

/** A handler that returns each of these in turn, and records its inputs. */
function asking(...answers: readonly unknown[]) {
  const inputs: (CallInput | undefined)[] = [];
  return {
    inputs,
    execute({ input }: CallContext): unknown {
      inputs.push(input);
      return answers[inputs.length - 1] ?? { total: inputs.length };
    },
  };
}

/** Runs a handler as that of a tool, a resource, a template and a prompt. */
async function runEverywhere(execute: (context: CallContext) => unknown, given: () => GivenEnvironment) {
  const toolbox = makeToolbox();
  const read = (context: CallContext) => execute(context) as ResourceAnswer;
  toolbox.registerTool({ name: "x", execute: (_input, context) => execute(context) });
  toolbox.registerResource({ uri: "app://x", name: "x", read: (_uri, context) => read(context) });
  toolbox.registerResourceTemplate({ uriTemplate: "app:{id}", name: "x", read: (_uri, _id, context) => read(context) });
  toolbox.registerPrompt({ name: "x", get: (_values, context) => execute(context) as PromptAnswer });
  return [
    await toolbox.callTool("x", {}, environment(given())),
    await toolbox.readResource("app://x", environment(given())),
    await toolbox.readResource("app:1", environment(given())),
    await toolbox.getPrompt("x", {}, environment(given())),
  ];
}

const codeOf = (outcome: CallOutcome) => (resultOf(outcome)["_meta"] as JsonObject)["pagewire/code"];

test("a handler is told what its caller can be asked", async () => {
  const seen: (readonly string[])[] = [];
  const execute = ({ asks }: CallContext) => {
    seen.push(asks);
    return { total: 1 };
  };
  await run(execute, { asks: allAsks });
  await run(execute);
  expect(seen).toEqual([allAsks, []]);
});

test("a caller that takes rounds is given what the handler asks, as it was written, and no one is asked", async () => {
  const { outcome, heard } = await run(() => question, { rounds: true, asks: allAsks });
  expect(outcome).toEqual({
    kind: "result",
    payload: JSON.stringify(question),
    isError: false,
    inputRequired: true,
  });
  expect(heard).toEqual([]);
});

test("what the caller brings when it calls again is the handler's input", async () => {
  const input = { responses: { sure: { action: "accept" } }, state: "first" };
  for (const rounds of [true, false]) {
    const handler = asking();
    const { outcome } = await run(handler.execute, { rounds, input });
    expect(handler.inputs).toEqual([input]);
    expect(resultOf(outcome)["structuredContent"]).toEqual({ total: 1 });
    expect(outcome).not.toHaveProperty("inputRequired");
  }
  const handler = asking();
  await run((context) => (expect("input" in context).toBe(false), handler.execute(context)));
});

test("resources and prompts ask as tools do", async () => {
  const outcomes = await runEverywhere(
    () => question,
    () => ({ rounds: true, asks: allAsks }),
  );
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ inputRequired: true });
    expect(resultOf(outcome)).toEqual(question);
  }
  const answered = await runEverywhere(
    ({ input }) => (input ? JSON.stringify(input) : question),
    () => ({ answer: async () => ({ action: "decline" }) }),
  );
  const input = JSON.stringify({ responses: { sure: { action: "decline" } }, state: "first" });
  for (const outcome of answered) expect(JSON.stringify(resultOf(outcome))).toContain(JSON.stringify(input));
});

test("for another caller each question is asked in its turn, and the handler runs again with the answers", async () => {
  const handler = asking({ resultType, inputRequests: { sure, roots } }, { resultType, requestState: "second" });
  const answer = async (method: string) => (method === "roots/list" ? { roots: [] } : { action: "accept" });
  const { outcome, heard } = await run(handler.execute, { answer });
  expect(heard).toEqual([
    ["elicitation/create", sure.params],
    ["roots/list", {}],
  ]);
  expect(handler.inputs).toEqual([
    undefined,
    { responses: { sure: { action: "accept" }, roots: { roots: [] } } },
    { responses: {}, state: "second" },
  ]);
  expect(resultOf(outcome)["structuredContent"]).toEqual({ total: 3 });
});

test("what neither the caller nor the page can answer is the caller's all the same", async () => {
  const inputRequests = { words: { method: "sampling/createMessage", params: {} } };
  const { outcome, heard } = await run(() => ({ resultType: "input_required", inputRequests }), {
    rounds: true,
    asks: [],
  });
  expect(outcome).toMatchObject({ kind: "result", inputRequired: true });
  expect(heard).toEqual([]);
});

test("what neither the caller nor the page can answer is the caller's all the same", async () => {
  const inputRequests = { words: { method: "sampling/createMessage", params: {} } };
  const { outcome, heard } = await run(() => ({ resultType, inputRequests }), { rounds: true, asks: [] });
  expect(outcome).toMatchObject({ kind: "result", inputRequired: true });
  expect(heard).toEqual([]);
});

test("a caller that takes rounds and not this question is not given it: it is asked elsewhere", async () => {
  const handler = asking({ resultType, inputRequests: { roots, sure } });
  const answer = async () => ({ action: "accept" });
  const { outcome, heard } = await run(handler.execute, { rounds: true, asks: ["roots/list"], answer });
  expect(heard.map(([method]) => method)).toEqual(["roots/list", "elicitation/create"]);
  expect(resultOf(outcome)["structuredContent"]).toEqual({ total: 2 });
});

test("the input is checked once, and progress goes on growing", async () => {
  let checks = 0;
  const toolbox = makeToolbox();
  const schema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => (checks++, { value }),
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  };
  const handler = asking(question);
  toolbox.registerTool({
    name: "x",
    inputSchema: schema,
    execute(_input, context) {
      context.progress(context.input ? 1 : 2);
      return handler.execute(context);
    },
  });
  const caller = environment({ answer: async () => ({ action: "accept" }) });
  await toolbox.callTool("x", {}, caller);
  expect([checks, handler.inputs.length]).toEqual([1, 2]);
  expect(caller.heard.filter(([what]) => what === "progress")).toEqual([["progress", 2, undefined, undefined]]);
});

test("a handler that asks for input a ninth time fails", async () => {
  const eight = asking(...Array.from({ length: 8 }, () => question));
  const answer = async () => ({ action: "accept" });
  expect(resultOf((await run(eight.execute, { answer })).outcome)["structuredContent"]).toEqual({ total: 9 });
  const { outcome, heard } = await run(() => question, { answer });
  expect([heard.length, codeOf(outcome)]).toEqual([8, "ask-failed"]);
  expect(textOf(outcome)).toContain("8 rounds");
});

test("a question that nobody can answer fails the call by its name", async () => {
  const unsupported = new PagewireError("ask-unsupported", "The calling agent has no model to ask.");
  const { outcome, errors } = await run(() => question, { answer: () => Promise.reject(unsupported) });
  expect([codeOf(outcome), textOf(outcome)]).toEqual(["ask-unsupported", unsupported.message]);
  expect(errors).toEqual([{ stage: 'tool "x"', error: unsupported }]);
  const { outcome: failed } = await run(() => question, { answer: async () => "yes" as unknown as JsonObject });
  expect(codeOf(failed)).toBe("ask-failed");
});

test("where one question is of no known kind, none is asked", async () => {
  const inputRequests = { sure, pick: { method: "colour/pick", params: {} } };
  for (const rounds of [true, false]) {
    const { outcome, heard } = await run(() => ({ resultType, inputRequests }), { rounds, asks: allAsks });
    expect([codeOf(outcome), heard]).toEqual(["ask-unsupported", []]);
    expect(textOf(outcome)).toMatch(/"pick".*"colour\/pick"/);
  }
});

test("what asks for input in another form than MCP's is refused by its place, and nobody is asked", async () => {
  const wrong: [object, string][] = [
    [{}, "$ has neither inputRequests nor requestState."],
    [{ inputRequests: {} }, "$ has neither inputRequests nor requestState."],
    [{ inputRequests: [sure] }, "$.inputRequests is not an object."],
    [{ inputRequests: null, requestState: "1" }, "$.inputRequests is not an object."],
    [{ inputRequests: { sure: "Sure?" } }, "$.inputRequests.sure is not an object."],
    [{ inputRequests: { sure: { params: {} } } }, "$.inputRequests.sure.method is not a text."],
    [{ inputRequests: { sure: { method: sure.method } } }, "$.inputRequests.sure.params is not an object."],
    [{ inputRequests: { sure, roots: { ...roots, params: [] } } }, "$.inputRequests.roots.params is not an object."],
    [{ requestState: 1 }, "$.requestState is not a text."],
    [{ requestState: null }, "$.requestState is not a text."],
    [{ requestState: "1", _meta: 1 }, "$._meta is not an object."],
    [{ inputRequests: { sure: { ...sure, params: { n: NaN } } } }, "$.inputRequests.sure.params.n is NaN."],
  ];
  for (const [form, problem] of wrong) {
    for (const rounds of [true, false]) {
      const { outcome, heard } = await run(() => ({ resultType, ...form }), { rounds, asks: allAsks });
      expect(textOf(outcome)).toBe(`The answer of tool "x" cannot be sent: ${problem}`);
      expect([codeOf(outcome), heard]).toEqual(["result-unsendable", []]);
    }
  }
  const [, resource, template, prompt] = await runEverywhere(
    () => ({ resultType }),
    () => ({}),
  );
  for (const outcome of [resource, template, prompt]) {
    expect(outcome).toMatchObject({ kind: "failed", code: "result-unsendable" });
  }
});

test("what asks for input and is too large is refused", async () => {
  const toolbox = makeToolbox({ limits: { frameBytes: 2000, headerBytes: 1000 } });
  toolbox.registerTool({ name: "x", execute: () => ({ resultType, requestState: "x".repeat(1000) }) });
  const outcome = await toolbox.callTool("x", {}, environment({ rounds: true }));
  expect(codeOf(outcome)).toBe("result-too-large");
  expect(outcome).not.toHaveProperty("inputRequired");
});

test("an error of another call that a later run throws says nothing of this one", async () => {
  const handler = asking(question);
  const { outcome } = await run(
    (context) => {
      if (context.input) throw new PagewireError("tool-not-found", "elsewhere");
      return handler.execute(context);
    },
    { answer: async () => ({ action: "accept" }) },
  );
  expect([codeOf(outcome), textOf(outcome)]).toEqual(["handler-failed", "elsewhere"]);
});

test("a completion may not ask for input", async () => {
  const toolbox = makeToolbox();
  const complete = { a: () => question as unknown as string[] };
  toolbox.registerPrompt({ name: "x", get: () => "", complete });
  const parameters = { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "" } };
  const outcome = await toolbox.complete(parameters, environment({ rounds: true, asks: allAsks }));
  expect(outcome).toMatchObject({ kind: "failed", code: "result-unsendable" });
});

test("a call that is aborted while it waits for answers ends at once, and its handler runs no more", async () => {
  const aborter = new AbortController();
  const handler = asking(question);
  let answerLate = () => {};
  const answer = () => new Promise<JsonObject>((resolve) => (answerLate = () => resolve({ action: "accept" })));
  const running = run(handler.execute, { signal: aborter.signal, answer });
  await settled();
  aborter.abort();
  expect((await running).outcome).toEqual({ kind: "aborted" });
  answerLate();
  await settled();
  expect(handler.inputs).toHaveLength(1);
});

test("a handler that aborts its own call while it asks for nothing but another run gets none", async () => {
  const aborter = new AbortController();
  let runs = 0;
  const { outcome } = await run(
    () => {
      runs++;
      aborter.abort();
      return { resultType, requestState: "1" };
    },
    { signal: aborter.signal },
  );
  await settled();
  expect([outcome, runs]).toEqual([{ kind: "aborted" }, 1]);
});

test("where what asks could not be loaded, the call fails with what to do, as one whose handler ran", async () => {
  vi.doMock("./rounds.ts", () => {
    throw new Error("Failed to fetch");
  });
  const { outcome } = await run(() => question);
  vi.doUnmock("./rounds.ts");
  expect(outcome).toMatchObject({ kind: "result", isError: true });
  expect(textOf(outcome)).toMatch(/could not be loaded.*handler ran up to.*that hub must run/);
  expect(resultOf(outcome)["_meta"]).toEqual({ "pagewire/code": "ask-failed" });
  expect((await run(() => question, { rounds: true, asks: allAsks })).outcome).toMatchObject({ inputRequired: true });
});
