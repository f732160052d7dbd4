// Tools for agents that run elsewhere and leave some calls to the page: those of AG-UI's protocol, and CopilotKit's, which speak it.
import { agentTools, parseArguments } from "./agent-tools.ts";
import type { AgentTool, AgentToolOptions, ToolAnswer, ToolSource } from "./agent-tools.ts";
import { unlessAborted } from "../../toolbox/index.ts";
import type { JsonObject } from "../../wire/index.ts";

/** `HttpAgent` of `@ag-ui/client`, or another of its agents. */
interface AgUiAgent {
  readonly messages: readonly AgUiMessage[];
  // oxlint-disable-next-line no-explicit-any -- each version of the client has types of its own for these
  runAgent(parameters?: any, subscriber?: any): Promise<unknown>;
  // oxlint-disable-next-line no-explicit-any -- as above
  addMessage(message: any): void;
  abortRun(): void;
}

interface AgUiMessage {
  readonly role: string;
  readonly toolCalls?: readonly AgUiCall[] | undefined;
  readonly toolCallId?: string | undefined;
}

interface AgUiCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface AgUiRunOptions {
  /** For `agent.runAgent`: context, properties, tools of your own. `runId` and `resume` are for the first run. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** How often the agent may run again with results; 10 when left out. */
  readonly maxToolRoundtrips?: number;
}

export interface AgUiTools {
  /** As `agent.runAgent({ tools })` takes them. */
  readonly tools: { name: string; description: string; parameters: JsonObject }[];
  /**
   * Runs the agent, then its calls of these tools, one after another, and again with their results, until it makes none, or waits for
   * something else. Each of these calls has a result among the agent's messages. Rejects where the agent does, and where the signal
   * is aborted.
   */
  runAgent(agent: AgUiAgent, options?: AgUiRunOptions): Promise<void>;
}

/** For agents that speak AG-UI: `runAgent(agent)` in the place of `agent.runAgent()`. */
export async function agUiTools(source: ToolSource, options?: AgentToolOptions): Promise<AgUiTools> {
  const found = new Map((await agentTools(source, options)).map((tool) => [tool.name, tool]));
  const tools = [...found.values()].map(({ name, description, inputSchema: parameters }) => {
    return { name, description, parameters };
  });
  return {
    tools,
    async runAgent(agent, { parameters = {}, signal, maxToolRoundtrips = 10 } = {}) {
      const { runId, resume, tools: others = [], ...rest } = parameters;
      const offered = { ...rest, tools: [...tools, ...(others as object[])] };
      for (let trips = 0; ; trips++) {
        const given = trips === 0 ? { ...offered, runId, resume } : offered;
        const { outcome, failure, calls } = await runOnce(agent, given, signal);
        const ours = calls.filter((call) => found.has(call.function.name));
        for (const call of ours) {
          const isWhole = outcome !== undefined && outcome !== "cancelled";
          const { text, isError } = await answerTo(call, {
            tool: isWhole ? found.get(call.function.name) : undefined,
            signal,
          });
          const message = { id: crypto.randomUUID(), role: "tool", toolCallId: call.id, content: text };
          agent.addMessage(isError ? { ...message, error: text } : message);
        }
        signal?.throwIfAborted();
        if (failure) throw failure.reason;
        const isDone = ours.length === 0 || ours.length < calls.length || trips >= maxToolRoundtrips;
        if (isDone || outcome !== "success") return;
      }
    },
  };
}

/** A run of the agent: how it ended, and its calls that have no result. */
async function runOnce(agent: AgUiAgent, parameters: object, signal?: AbortSignal) {
  signal?.throwIfAborted();
  const before = new Set(callsOf(agent).map(({ id }) => id));
  let outcome: string | undefined;
  let failure: { readonly reason: unknown } | undefined;
  // Before version 1 of the protocol a finished run may have no outcome.
  const onRunFinishedEvent = ({ outcome: how = "success" }) => void (outcome = how);
  const stop = () => agent.abortRun();
  signal?.addEventListener("abort", stop);
  try {
    // An agent may not heed its abortRun.
    await unlessAborted(agent.runAgent(parameters, { onRunFinishedEvent }), signal);
  } catch (reason) {
    failure = { reason };
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  const answered = new Set(agent.messages.map(({ toolCallId }) => toolCallId));
  return { outcome, failure, calls: callsOf(agent).filter(({ id }) => !before.has(id) && !answered.has(id)) };
}

const callsOf = ({ messages }: AgUiAgent) => messages.flatMap(({ toolCalls = [] }) => toolCalls);

interface Answering {
  /** Left out, the call was cut: what of it arrived may not be what was meant. */
  readonly tool: AgentTool | undefined;
  readonly signal: AbortSignal | undefined;
}

async function answerTo(
  { function: called }: AgUiCall,
  { tool, signal }: Answering,
): Promise<Pick<ToolAnswer, "text" | "isError">> {
  if (!tool || signal?.aborted) return { text: "The call was not made: the agent's run was cut.", isError: true };
  try {
    return await tool.run(parseArguments(called.arguments), signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
    return { text: "The call was stopped. It may have done its work.", isError: true };
  }
}

/** A frontend tool of CopilotKit. */
export interface CopilotKitTool {
  readonly name: string;
  readonly description: string;
  /** A Standard Schema that takes everything: the tool itself judges its input. */
  readonly parameters: {
    readonly "~standard": {
      readonly version: 1;
      readonly vendor: string;
      // oxlint-disable-next-line no-explicit-any -- CopilotKit's tools are generic in their input
      validate(value: unknown): { readonly value: any };
      readonly jsonSchema: { input(): JsonObject; output(): JsonObject };
    };
  };
  handler(input: unknown, context?: { readonly signal?: AbortSignal | undefined }): Promise<string>;
}

/** For CopilotKit: `frontendTools` of its provider, or `useFrontendTools`. */
export async function copilotKitTools(source: ToolSource, options?: AgentToolOptions): Promise<CopilotKitTool[]> {
  return (await agentTools(source, options)).map(({ name, description, inputSchema, run }) => {
    // CopilotKit removes parts of the schema that it gets.
    const schema = () => structuredClone(inputSchema);
    const validate = (value: unknown) => ({ value });
    const jsonSchema = { input: schema, output: schema };
    return {
      ...{ name, description },
      parameters: { "~standard": { version: 1, vendor: "pagewire", validate, jsonSchema } },
      handler: async (input, { signal } = {}) => (await run(input, signal)).text,
    };
  });
}
