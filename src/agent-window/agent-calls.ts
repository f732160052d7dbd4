// Runs the agent's calls, each at most once, with the same code as a hub's calls. Loaded once the agent's window answers. A
// call is known by its id, and its outcome survives a reload of the page.
import { Calls, createCallMemory } from "../page/run-calls.ts";
import type { CallMemory } from "../page/run-calls.ts";
import type { CallEnvironment, CallOutcome, ValidateJson } from "../toolbox/index.ts";
import { acceptValue, loadJsonSchemaValidator, runCall, toData } from "../toolbox/one-tool.ts";
import type { Sending } from "../toolbox/one-tool.ts";
import { PagewireError, isJsonObject, messageOf, pageLimits, parseTrace } from "../wire/index.ts";
import type { ErrorCode, FrameFromPage, Json, JsonObject, OnError } from "../wire/index.ts";
import type { AgentSender } from "./agent-channel.ts";
import { answerWith } from "./bridge-errors.ts";
import type { ToolAnswer } from "./bridge-errors.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import type { FromAgent } from "./messages.ts";
import type { ToolCallContext } from "./tool-definition.ts";
import type { FoundTool, ToolShelf } from "./tool-shelf.ts";

/** Max calls that run at one time. */
const maxRunningCalls = 128;
/** Timeout of a call without a deadline of the agent's, in milliseconds. */
const defaultCallTime = 600_000;

export interface AgentCalls {
  take(call: FromAgent["tool_call"], sender: AgentSender): void;
  cancel(id: string): void;
  /** Ends every running call with this error, and aborts it. */
  endAll(reason: PagewireError): void;
  /** The page unloads: saves the memory of the calls. */
  save(): void;
}

/** A sender that waits for an answer. */
interface Asker {
  readonly sender: AgentSender;
  /** Whether a result is sent as JSON text. */
  readonly takesJson: boolean;
}

export interface AgentCallsOptions {
  readonly shelf: ToolShelf;
  readonly environment: BridgeEnvironment;
  /** The caller's name for a toolbox's tools. */
  readonly agent: string;
  readonly onError: OnError;
}

export function createAgentCalls({ shelf, environment, agent, onError }: AgentCallsOptions): AgentCalls {
  const { clock, date } = environment;
  const memory = memoryOf(environment);
  /** The last sender of each unanswered call, by its id. */
  const askers = new Map<string, Asker>();
  /** The handler's last return value, by id, for senders that accept no text: it need not be parsed from the text. */
  const returned = new Map<string, unknown>();
  let isCalled = false;
  const get = (name: string) => shelf.list().find((tool) => tool.name === name);
  const calls = new Calls({
    toolbox: { get, callTool, readResource: noSuch, getPrompt: noSuch, complete: noSuch },
    environment: { clock, date },
    memory,
    limits: pageLimits,
    loadDialog: () => Promise.reject(cannotAsk),
    send,
  });

  // The memory belongs to the document, and one agent's outcomes must not reach another.
  calls.welcomed({ tab: agent, at: clock.now() });

  function reply(id: string, answer: ToolAnswer): void {
    askers.get(id)?.sender.post({ type: "tool_response", payload: { call_id: id, ...answer } });
    // If the call still runs, this answer only refused another call with the same id.
    if (!calls.running().includes(id)) askers.delete(id);
    returned.delete(id);
  }

  function answerOf(id: string, payload: string): ToolAnswer {
    if (payload === "") return { success: true };
    if (askers.get(id)?.takesJson) return { success: true, json: payload };
    return { success: true, result: returned.get(id) ?? (JSON.parse(payload) as unknown) };
  }

  function send(frame: FrameFromPage, payload = ""): void {
    if (frame.type === "result") reply(frame.id, frame.isError ? answerOfError(payload) : answerOf(frame.id, payload));
    else if (frame.type === "failure")
      reply(frame.id, { success: false, error: frame.message, code: frame.code as ErrorCode });
    else if (frame.type === "progress") {
      const { id, progress, total, message } = frame;
      const sender = askers.get(id)?.sender;
      const optional = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
      if (sender?.hasPort) sender.post({ type: "tool_progress", payload: { call_id: id, progress, ...optional } });
    }
  }

  function callTool(name: string, args: unknown, run: CallEnvironment): Promise<CallOutcome> {
    const found = shelf.find(name);
    if (found?.kind === "toolbox") return found.toolbox.callTool(name, args, run);
    const note = (data: Json) => void (askers.get(run.callId)?.takesJson || returned.set(run.callId, data));
    return runCall(run, stepsOf({ name, found, args, returned: note }), { limits: pageLimits, onError });
  }

  return {
    take({ call_id: id, tool_name: name, arguments: args, json, until, again, takes_json, trace }, sender) {
      isCalled = true;
      const isNew = !askers.has(id);
      const isFull = askers.size >= maxRunningCalls;
      askers.set(id, { sender, takesJson: takes_json === true });
      if (isNew && isFull) return reply(id, tooMany);
      const left = until === undefined ? defaultCallTime : Math.max(0, until - date());
      const call = { type: "call", id, key: id, method: "tools/call", name, left, at: clock.now() } as const;
      calls.take(
        { ...call, agent: { name: agent }, resume: again, trace: parseTrace(trace) },
        json ?? JSON.stringify(args),
      );
    },
    cancel: (id) => calls.take({ type: "cancel", id, reason: cancelled }, ""),
    endAll(reason) {
      for (const id of askers.keys()) reply(id, answerWith(reason));
      askers.clear();
      calls.close();
    },
    save() {
      // A page without calls writes nothing to storage.
      if (isCalled) memory.save();
    },
  };
}

const cancelled = "The agent cancelled the call. Its handler may have run in part.";
const cannotAsk = new PagewireError("ask-unsupported", "The agent's window cannot be asked anything.");
const tooMany = answerWith(
  new PagewireError("calls-too-many", `${maxRunningCalls} calls run already (limit runningCalls). Try again later.`),
);

const memories = new WeakMap<Window, CallMemory>();

/** All bridges of a document share one memory, so that none overwrites another's entries. */
function memoryOf({ self, date, newId, storage }: BridgeEnvironment): CallMemory {
  const known = memories.get(self);
  if (known) return known;
  const name = (part: string) => `pagewire-agent-${part}`;
  const memory = createCallMemory({
    date,
    newId,
    storage: { get: (part) => storage.get(name(part)), set: (part, text) => storage.set(name(part), text) },
  });
  memories.set(self, memory);
  return memory;
}

interface OwnCall {
  readonly name: string;
  readonly found: OwnTool | undefined;
  readonly args: unknown;
  returned(data: Json): void;
}

type OwnTool = Extract<FoundTool, { kind: "own" }>;

/** A bridge's own tool: the handler's return value is sent as it is, not as an MCP result. */
function stepsOf({ name, found, args, returned }: OwnCall) {
  return {
    name: `tool "${name}"`,
    async prepare() {
      const { tool, handler } = handlerOf(name, found);
      const schema = { json: tool.parameters, standard: undefined };
      const accepted = (await acceptValue(schema, args, { tool: name, side: "input", loadValidator })) as JsonObject;
      return {
        execute: (context: ToolCallContext) => handler(accepted, contextOf(context)),
        finish(value: unknown, sending: Sending) {
          if (value === undefined) return { payload: "", isError: false };
          const data = toData(value, sending);
          returned(data);
          return { payload: JSON.stringify(data), isError: false };
        },
      };
    },
    fail: (code: ErrorCode, message: string) => ({ kind: "failed", code, message }) as const,
  };
}

/** The signal is a large part of the cost of a short call, so it is created on access. */
function contextOf(context: ToolCallContext): ToolCallContext {
  const { callId, trace, progress } = context;
  return {
    callId,
    trace,
    progress,
    get signal() {
      return context.signal;
    },
  };
}

function handlerOf(name: string, found: OwnTool | undefined) {
  if (!found) {
    const next = `Register it with registerTool({ name: "${name}", … }).`;
    throw new PagewireError("tool-not-found", `This page offers no tool "${name}" now. ${next}`);
  }
  const { tool, handler } = found;
  if (handler) return { tool, handler };
  const next = `Set one with onToolCall("${name}", handler).`;
  throw new PagewireError("tool-not-found", `The tool "${name}" has no handler in this page yet. ${next}`);
}

async function loadValidator(): Promise<ValidateJson> {
  try {
    return await loadJsonSchemaValidator();
  } catch (error) {
    const message = `What checks a tool's arguments could not be loaded (${messageOf(error)}). Try again.`;
    throw new PagewireError("part-missing", message, { cause: error });
  }
}

async function noSuch(): Promise<CallOutcome> {
  return { kind: "refused", code: "tool-not-found", message: "The agent's window can call tools only." };
}

/** The text of a failed tool's MCP result, and its code. */
function answerOfError(payload: string): ToolAnswer {
  const result = JSON.parse(payload) as JsonObject;
  const code = isJsonObject(result["_meta"]) ? result["_meta"]["pagewire/code"] : undefined;
  const error = new Error(textOf(result) || payload);
  // A toolbox may get the code from a server; readers ignore an unknown code.
  return { ...answerWith(error), code: (typeof code === "string" ? code : "handler-failed") as ErrorCode };
}

function textOf({ content }: JsonObject): string {
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => (isJsonObject(block) && typeof block["text"] === "string" ? block["text"] : ""))
    .join("\n");
}
