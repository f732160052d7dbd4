// Tools in the forms of agent frameworks. None of them is imported: those with classes of their own are given.
import { agentTools, parseArguments } from "./agent-tools.ts";
import type { AgentTool, AgentToolOptions, ToolAnswer, ToolSource } from "./agent-tools.ts";
import { lineOfBlock } from "../sources/model-tool.ts";
import type { JsonObject } from "../../wire/index.ts";

/** A tool of the AI SDK 5, 6 or 7. */
export interface AiSdkTool {
  readonly type: "dynamic";
  readonly description: string;
  // oxlint-disable-next-line no-explicit-any -- the SDK's schemas have a type of each version's own
  readonly inputSchema: any;
  execute(input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }): Promise<ToolAnswer>;
  // oxlint-disable-next-line no-explicit-any -- as above
  toModelOutput(given: any): any;
  /** For the SDK from version 6 on. */
  readonly needsApproval?: boolean;
}

export interface AiSdkToolOptions extends AgentToolOptions {
  /**
   * Lets the SDK itself ask, from version 6 on, before tools that are not marked as read-only: it ends with a request for approval,
   * which your code answers.
   */
  readonly needsApproval?: boolean;
}

/** For `streamText({ tools })` and `generateText`. A result's pictures go to the model, too. */
export async function aiSdkTools(
  source: ToolSource,
  options: AiSdkToolOptions = {},
): Promise<Record<string, AiSdkTool>> {
  const tools = await agentTools(source, options);
  return Object.fromEntries(tools.map((tool) => [tool.name, aiSdkTool(tool, options)]));
}

function aiSdkTool(
  { description, inputSchema: jsonSchema, isReadOnly, run }: AgentTool,
  { needsApproval = false }: AiSdkToolOptions,
): AiSdkTool {
  return {
    ...(needsApproval && !isReadOnly && { needsApproval }),
    type: "dynamic",
    description,
    inputSchema: {
      [Symbol.for("vercel.ai.schema")]: true,
      // Version 5 looks for this one, too.
      [Symbol.for("vercel.ai.validator")]: true,
      jsonSchema,
      validate: undefined,
    },
    execute: (input, { abortSignal } = {}) => run(input, abortSignal),
    toModelOutput(given: ToolAnswer | { readonly toolCallId: string; readonly output: ToolAnswer }) {
      return "toolCallId" in given ? modelOutput(given.output, "image-data") : modelOutput(given, "media");
    },
  };
}

/** Version 5 of the SDK calls every file "media". */
function modelOutput({ text, isError, content }: ToolAnswer, picture: "image-data" | "media"): object {
  if (isError) return { type: "error-text", value: text };
  if (!content.some(isPicture)) return { type: "text", value: text };
  const value = content.map((part) =>
    isPicture(part)
      ? { type: picture, data: part["data"], mediaType: part["mimeType"] }
      : { type: "text", text: lineOfBlock(part) },
  );
  return { type: "content", value };
}

function isPicture({ type, data, mimeType }: JsonObject): boolean {
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}

export interface OpenAiTools {
  /** For Chat Completions. */
  readonly tools: {
    readonly type: "function";
    readonly function: { name: string; description: string; parameters: JsonObject };
  }[];
  /** For Responses. */
  readonly responsesTools: {
    readonly type: "function";
    name: string;
    description: string;
    parameters: JsonObject;
    strict: false;
  }[];
  /** The message that answers a call, of either API. Rejects only where the signal is aborted. */
  run(call: ResponsesCall, signal?: AbortSignal): Promise<ResponsesAnswer>;
  run(call: ChatCall, signal?: AbortSignal): Promise<ChatAnswer>;
}

interface Called {
  readonly name: string;
  readonly arguments: string;
}

/** A tool call of Chat Completions; one of a custom tool has no function, and is refused. */
interface ChatCall {
  readonly id: string;
  readonly function?: Called;
}

interface ChatAnswer {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** A tool call of Responses. */
interface ResponsesCall extends Called {
  readonly call_id: string;
}

interface ResponsesAnswer {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/** For the `openai` package, and all that speak its APIs. */
export async function openaiTools(source: ToolSource, options?: AgentToolOptions): Promise<OpenAiTools> {
  const found = await agentTools(source, options, "openai");
  const named = found.map(({ name, description, inputSchema: parameters }) => ({ name, description, parameters }));
  async function text(called: Called | undefined, signal?: AbortSignal): Promise<string> {
    const tool = called && found.find(({ name }) => name === called.name);
    if (!tool) return `There is no tool "${called?.name ?? ""}".`;
    return (await tool.run(parseArguments(called.arguments), signal)).text;
  }
  function run(call: ResponsesCall, signal?: AbortSignal): Promise<ResponsesAnswer>;
  function run(call: ChatCall, signal?: AbortSignal): Promise<ChatAnswer>;
  async function run(call: ResponsesCall | ChatCall, signal?: AbortSignal): Promise<ResponsesAnswer | ChatAnswer> {
    if ("call_id" in call)
      return { type: "function_call_output", call_id: call.call_id, output: await text(call, signal) };
    return { role: "tool", tool_call_id: call.id, content: await text(call.function, signal) };
  }
  return {
    tools: named.map((tool) => ({ type: "function", function: tool })),
    responsesTools: named.map((tool) => ({ type: "function", ...tool, strict: false })),
    run,
  };
}

// oxlint-disable-next-line no-explicit-any -- createTool's parameters are generic
type Create<Made> = (definition: any) => Made;

/** For Mastra's agents: `mastraTools(source, createTool)`, with `createTool` of `@mastra/core/tools`. */
export async function mastraTools<Made>(
  source: ToolSource,
  createTool: Create<Made>,
  options?: AgentToolOptions,
): Promise<Record<string, Made>> {
  const made = (await agentTools(source, options)).map(({ name, description, inputSchema, run }) => {
    const execute = async (input: unknown, context?: { readonly abortSignal?: AbortSignal }) =>
      (await run(inputIn(input), context?.abortSignal)).text;
    return [name, createTool({ id: name, description, inputSchema, execute })] as const;
  });
  return Object.fromEntries(made);
}

/** Mastra before 1.0 gives the input within its context. */
function inputIn(given: unknown): unknown {
  return typeof given === "object" && given !== null && "context" in given && "runtimeContext" in given
    ? given.context
    : given;
}

/** For LangChain's agents: `langChainTools(source, tool)`, with `tool` of `@langchain/core/tools`. */
export async function langChainTools<Made>(
  source: ToolSource,
  // oxlint-disable-next-line no-explicit-any -- tool's parameters are generic
  tool: (run: (input: any, config?: any) => Promise<string>, fields: any) => Made,
  options?: AgentToolOptions,
): Promise<Made[]> {
  return (await agentTools(source, options)).map(({ name, description, inputSchema: schema, run }) =>
    tool(async (input, config) => (await run(input, config?.signal)).text, { name, description, schema }),
  );
}
