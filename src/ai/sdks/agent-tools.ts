// The tools of a page or of a hub, for the loop of another agent framework. A call always has a result: that a tool failed, or did
// not run, is for the model to know.
import { fittedTool } from "../providers/fit-tools.ts";
import { mapToolNames, namesForAll } from "../tool-names.ts";
import { environmentOf, modelToolOf, textOfResult } from "../sources/model-tool.ts";
import { unlessAborted } from "../../toolbox/index.ts";
import type { ApprovalRequest, CallOutcome, Toolbox } from "../../toolbox/index.ts";
import { isForTerminals, isJsonObject } from "../../wire/index.ts";
import type { JsonObject, Offer, Tool } from "../../wire/index.ts";

/** The toolbox of a page or an MCP server, or a client of a hub: `connectHub` of pagewire/hub-client. */
export type ToolSource = Toolbox | HubTools;

interface HubTools {
  offer(tab?: string): Promise<Offer>;
  call(call: HubToolCall): Promise<HubToolOutcome>;
}

interface HubToolCall extends Pick<AgentToolOptions, "tab" | "timeout"> {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
}

interface HubToolOutcome {
  readonly outcome: string;
  readonly result?: JsonObject;
  readonly error?: { readonly message: string };
}

export interface AgentToolOptions {
  /** Of a hub: the tools of this tab only. */
  readonly tab?: string | undefined;
  /** Only these. */
  readonly only?: readonly string[];
  /** Milliseconds that a call may take; a minute when left out. */
  readonly timeout?: number | undefined;
  /**
   * Asks the user before each call of a tool that is not marked as read-only, such as `page.approveInPage`. Anything but a clear yes
   * is a refusal, and the call's result says so. Left out, no call asks.
   */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal) => Approval | Promise<Approval>;
}

type Approval = boolean | { readonly approved: boolean };

export interface ToolAnswer {
  /** The outcome in words, for a model. */
  readonly text: string;
  readonly isError: boolean;
  /** The result's parts, where the tool gave some. */
  readonly content: readonly JsonObject[];
}

export interface AgentTool {
  /** The source's own, or one like it that the model's vendor accepts. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly isReadOnly: boolean;
  run(input: unknown, signal?: AbortSignal): Promise<ToolAnswer>;
}

/** The tools that a source has now, as OpenAI's models take them, or those of any vendor. */
export async function agentTools(
  source: ToolSource,
  options: AgentToolOptions = {},
  vendor: "openai" | "any" = "any",
): Promise<AgentTool[]> {
  const { tools } = await ("callTool" in source ? source.offer() : source.offer(options.tab));
  const chosen = tools.filter((tool) => !isForTerminals(tool) && (options.only?.includes(tool.name) ?? true));
  const names = chosen.map(({ name }) => name);
  const { toWire } = mapToolNames(names, vendor === "any" ? namesForAll : undefined);
  return chosen.map((tool) => {
    const { description, parameters } = fittedTool(modelToolOf(tool), vendor);
    return {
      name: toWire(tool.name),
      description,
      inputSchema: parameters as JsonObject,
      isReadOnly: isReadOnly(tool),
      run: runnerOf(source, tool, { options, shown: toWire(tool.name) }),
    };
  });
}

function isReadOnly({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true;
}

interface Running {
  readonly options: AgentToolOptions;
  /** The name that the model knows. */
  readonly shown: string;
}

function runnerOf(source: ToolSource, tool: Tool, { options, shown }: Running): AgentTool["run"] {
  const { name } = tool;
  const { approve } = options;
  const call = "callTool" in source ? callToolbox(source, name, options) : callHub(source, name, options);
  return async (given, signal = new AbortController().signal) => {
    const input = given === undefined || given === "" ? {} : given;
    if (!isJsonObject(input)) return failed(`The arguments of "${shown}" are not a JSON object.`);
    signal.throwIfAborted();
    if (approve && !isReadOnly(tool) && !(await isApproved(approve, requestFor(tool, input), signal)))
      return failed(`The user refused the call. "${shown}" did not run.`);
    const answer = await call(input, signal);
    signal.throwIfAborted();
    return answer;
  };
}

async function isApproved(
  approve: NonNullable<AgentToolOptions["approve"]>,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const asked = Promise.resolve().then(() => approve(request, signal));
  const decision: unknown = await unlessAborted(
    asked.catch(() => false),
    signal,
  );
  return decision === true || (isJsonObject(decision) && decision["approved"] === true);
}

function requestFor(tool: Tool, input: JsonObject): ApprovalRequest {
  const { title, annotations } = tool;
  const heading = title ?? annotations?.title;
  return {
    tool: tool.name,
    ...(heading !== undefined && { title: heading }),
    ...(tool.description && { description: tool.description }),
    ...(annotations?.destructiveHint && { destructive: true as const }),
    arguments: input,
    agent: { name: "pagewire/ai/sdks" },
    reason: "The tool does not say that it only reads.",
  };
}

type Call = (input: JsonObject, signal: AbortSignal) => Promise<ToolAnswer>;

const callTime = 60_000;

function callToolbox(toolbox: Toolbox, name: string, { timeout = callTime }: AgentToolOptions): Call {
  return async (input, signal) => {
    const late = AbortSignal.timeout(timeout);
    const context = { callId: crypto.randomUUID(), signal: AbortSignal.any([signal, late]) };
    const outcome = await toolbox.callTool(name, input, environmentOf(context, timeout));
    return answerOf(outcome, timeout);
  };
}

function answerOf(outcome: CallOutcome, timeout: number): ToolAnswer {
  if (outcome.kind === "result") return resultOf(JSON.parse(outcome.payload), outcome.isError);
  if (outcome.kind === "aborted")
    return failed(`The tool was stopped: it took longer than ${timeout} ms. It may have done its work.`);
  return failed(outcome.message);
}

function callHub(hub: HubTools, name: string, { tab, timeout }: AgentToolOptions): Call {
  return async (input, signal) => {
    const { result, outcome, error } = await hub.call({ name, arguments: input, tab, timeout, signal });
    return result
      ? resultOf(result, outcome === "tool-error")
      : failed(error?.message ?? `The call ended as ${outcome}.`);
  };
}

function resultOf(result: unknown, isError: boolean): ToolAnswer {
  const content =
    isJsonObject(result) && Array.isArray(result["content"]) ? result["content"].filter(isJsonObject) : [];
  return { text: textOfResult(result) || (isError ? "The tool failed without a word." : "Done."), isError, content };
}

function failed(text: string): ToolAnswer {
  return { text, isError: true, content: [{ type: "text", text }] };
}

/** Text that is no JSON is given on as it is: a tool refuses it. */
export function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json.trim() || "{}");
  } catch {
    return json;
  }
}
