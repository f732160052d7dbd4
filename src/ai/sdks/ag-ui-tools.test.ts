import { expect, test } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../toolbox/index.ts";
import { agUiTools, copilotKitTools } from "./ag-ui-tools.ts";

function createPage() {
  const ran: unknown[] = [];
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  const execute = ({ n }: Readonly<Record<string, unknown>>) => (ran.push(n), String(Number(n) * 2));
  toolbox.registerTool({ name: "double", description: "Doubles.", inputSchema, execute });
  toolbox.registerTool({ name: "fail", description: "Fails.", execute: () => Promise.reject(new Error("No paper.")) });
  const wait = () => new Promise<never>(() => {});
  toolbox.registerTool({ name: "wait", description: "Waits.", execute: wait });
  return { toolbox, ran };
}

interface Message {
  readonly role: string;
  readonly toolCalls?: readonly ReturnType<typeof call>[];
  readonly toolCallId?: string;
}
interface Subscriber {
  onRunFinishedEvent(event: { readonly outcome?: string }): void;
}
type Run = (agent: ReturnType<typeof createAgent>, subscriber: Subscriber) => Promise<void> | void;

const call = (id: string, name: string, json: string) => ({ id, function: { name, arguments: json } });

/** An agent of AG-UI's client: each run does what the next of these does. */
function createAgent(...runs: Run[]) {
  const agent = {
    messages: [] as Message[],
    given: [] as Record<string, unknown>[],
    stops: 0,
    async runAgent(parameters: Record<string, unknown>, subscriber: Subscriber) {
      agent.given.push(parameters);
      await runs[agent.given.length - 1]?.(agent, subscriber);
    },
    addMessage: (message: Message) => void agent.messages.push(message),
    abortRun: () => void agent.stops++,
  };
  return agent;
}

const asks =
  (...toolCalls: ReturnType<typeof call>[]): Run =>
  (agent, { onRunFinishedEvent }) => {
    agent.messages.push({ role: "assistant", toolCalls });
    onRunFinishedEvent({});
  };
const answers: Run = (_agent, { onRunFinishedEvent }) => onRunFinishedEvent({ outcome: "success" });
const results = ({ messages }: ReturnType<typeof createAgent>) =>
  messages.filter(({ role }) => role === "tool").map((message) => ({ ...message, id: undefined, role: undefined }));

test("an agent's calls are made in their order, and it runs again with the results, until it makes none", async () => {
  const { toolbox, ran } = createPage();
  const { tools, runAgent } = await agUiTools(toolbox, { only: ["double", "fail"] });
  const cut = call("c3", "double", '{"n":');
  const agent = createAgent(
    asks(call("c1", "double", '{"n":1}'), call("c2", "fail", ""), cut),
    asks(call("c4", "double", '{"n":2}')),
    answers,
  );
  const own = { name: "own" };
  await runAgent(agent, { parameters: { runId: "r", context: ["c"], tools: [own] } });
  const refused = 'The arguments of "double" are not a JSON object.';
  expect(results(agent)).toEqual([
    { toolCallId: "c1", content: "2" },
    { toolCallId: "c2", content: "No paper.", error: "No paper." },
    { toolCallId: "c3", content: refused, error: refused },
    { toolCallId: "c4", content: "4" },
  ]);
  expect(ran).toEqual([1, 2]);
  expect(agent.given).toEqual([
    { context: ["c"], tools: [...tools, own], runId: "r" },
    { context: ["c"], tools: [...tools, own] },
    { context: ["c"], tools: [...tools, own] },
  ]);
});

test("a call of a run that failed or was cut is not made, and says so to the agent", async () => {
  const { toolbox, ran } = createPage();
  const { runAgent } = await agUiTools(toolbox);
  const half = { role: "assistant", toolCalls: [call("c1", "fail", ""), call("c2", "double", '{"n":1}')] };
  const cancelled: Run = (_agent, { onRunFinishedEvent }) => onRunFinishedEvent({ outcome: "cancelled" });
  const rejected = () => Promise.reject(new Error("The model died."));
  for (const end of [() => {}, cancelled, rejected]) {
    const agent = createAgent((one, subscriber) => (one.messages.push(half), end(one, subscriber)));
    const failure = await runAgent(agent).catch((error: unknown) => error);
    expect(failure).toEqual(end === rejected ? new Error("The model died.") : undefined);
    const text = "The call was not made: the agent's run was cut.";
    expect(results(agent)).toEqual(["c1", "c2"].map((toolCallId) => ({ toolCallId, content: text, error: text })));
    expect(agent.given).toHaveLength(1);
  }
  expect(ran).toEqual([]);
});

test("calls that are older, that have a result, or that are of another's tool are left, and what waits for others is not run again", async () => {
  const { toolbox, ran } = createPage();
  const { runAgent } = await agUiTools(toolbox);
  const agent = createAgent((one, subscriber) => {
    void asks(
      call("c2", "double", '{"n":2}'),
      call("c3", "double", '{"n":3}'),
      call("c4", "own", "{}"),
    )(one, subscriber);
    one.messages.push({ role: "tool", toolCallId: "c2" });
  });
  agent.messages.push({ role: "assistant", toolCalls: [call("c1", "double", '{"n":1}')] });
  await runAgent(agent);
  expect(results(agent).map(({ toolCallId }) => toolCallId)).toEqual(["c2", "c3"]);
  expect(ran).toEqual([3]);
  expect(agent.given).toHaveLength(1);
});

test("an agent that never ends to call is run as often as it may", async () => {
  const { toolbox, ran } = createPage();
  const { runAgent } = await agUiTools(toolbox);
  const agent = createAgent(...[1, 2, 3, 4].map((n) => asks(call(`c${n}`, "double", `{"n":${n}}`))));
  await runAgent(agent, { maxToolRoundtrips: 2 });
  expect(ran).toEqual([1, 2, 3]);
});

test("a stopped loop stops the tool, makes no other call, and gets the reason; a stopped agent stops", async () => {
  const { toolbox, ran } = createPage();
  const { runAgent } = await agUiTools(toolbox);
  const stop = new AbortController();
  const agent = createAgent(asks(call("c1", "wait", "{}"), call("c2", "double", '{"n":1}')));
  const running = runAgent(agent, { signal: stop.signal });
  stop.abort(new Error("Enough."));
  await expect(running).rejects.toThrow("Enough.");
  expect(results(agent)).toMatchObject([{ toolCallId: "c1" }, { toolCallId: "c2" }]);
  expect(ran).toEqual([]);
  const later = new AbortController();
  const held = createAgent(() => later.abort(new Error("Later.")));
  await expect(runAgent(held, { signal: later.signal })).rejects.toThrow("Later.");
  expect(held.stops).toBe(1);
});

test("a stop ends the loop, though the agent goes on", async () => {
  const { toolbox, ran } = createPage();
  const { runAgent } = await agUiTools(toolbox);
  const stop = new AbortController();
  const agent = createAgent((one, subscriber) => {
    void asks(call("c1", "double", '{"n":1}'))(one, subscriber);
    stop.abort(new Error("Enough."));
    return new Promise(() => {});
  });
  await expect(runAgent(agent, { signal: stop.signal })).rejects.toThrow("Enough.");
  expect(results(agent)).toMatchObject([
    { toolCallId: "c1", error: "The call was not made: the agent's run was cut." },
  ]);
  expect([agent.stops, agent.given.length, ran]).toEqual([1, 1, []]);
});

test("`approve` runs before a call, and the agent's result says that it was refused", async () => {
  const { toolbox, ran } = createPage();
  const { runAgent } = await agUiTools(toolbox, { approve: ({ arguments: { n } }) => n === 1 });
  const agent = createAgent(asks(call("c1", "double", '{"n":1}'), call("c2", "double", '{"n":2}')), answers);
  await runAgent(agent);
  const text = 'The user refused the call. "double" did not run.';
  expect(results(agent)).toEqual([
    { toolCallId: "c1", content: "2" },
    { toolCallId: "c2", content: text, error: text },
  ]);
  expect(ran).toEqual([1]);
});

test("CopilotKit gets a schema that it may change, and a handler whose failure is a result", async () => {
  const [double, fail] = await copilotKitTools(createPage().toolbox);
  const standard = double?.parameters["~standard"];
  const schema = standard?.jsonSchema.input();
  expect(schema).toMatchObject({ type: "object", required: ["n"] });
  for (const key of Object.keys(schema ?? {})) Reflect.deleteProperty(schema ?? {}, key);
  expect(standard?.jsonSchema.input()).toMatchObject({ type: "object", required: ["n"] });
  expect(standard?.validate({ n: "x" })).toEqual({ value: { n: "x" } });
  expect(await double?.handler({ n: 21 }, { signal: undefined })).toBe("42");
  expect(await double?.handler({ n: "x" })).toContain("refused its input");
  expect(await fail?.handler({})).toBe("No paper.");
});
