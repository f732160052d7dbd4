// The tool loop: declares tools to the provider, runs its calls, and asks again. Loaded on demand.
import type { Answer } from "./answer.ts";
import { callTool } from "./call-tool.ts";
import type { CallNeeds } from "./call-tool.ts";
import { assistantMessage, newId } from "./messages.ts";
import type { Entry } from "./messages.ts";
import type { IAiProvider, AiToolCallDelta } from "./provider.ts";
import { objectIn } from "./providers/read.ts";
import type { Ask, Run } from "./run.ts";
import { fitTool } from "./schemas/fit-tool.ts";
import type { SchemaRuleName } from "./schemas/schema-rules.ts";
import { toolMessage } from "./tool-message.ts";
import { isDevelopment } from "./tool-registry.ts";
import { mapToolNames } from "./tool-names.ts";
import type { ToolNames } from "./tool-names.ts";
import type { AiMessage, AiRequestOptions, AiTool, AiToolCallState, AiToolChoice, AiUsage } from "./types.ts";
import type { CoreState, CoreValues } from "./core-state.ts";

const defaultRounds = 10;

export interface ToolNeeds {
  readonly provider: IAiProvider;
  readonly ask: Ask;
  /** An answer that is there already, with calls of undeclared tools. */
  readonly first: Answer | undefined;
}

/** Returns the final message; throws if there is none. */
export async function useTools(run: Run, { provider, ask, first }: ToolNeeds): Promise<Entry> {
  const { options, signal, state } = run;
  const { tools: _tools, toolChoice: _choice, mcp: _mcp, ...plain } = options;
  const maxRounds = options.maxToolRoundtrips ?? defaultRounds;
  const { tools, close } = await gatherTools(maxRounds > 0 ? options : plain, run);
  const calls = createToolCalls(state);
  const { undo } = run;
  run.undo = () => ({ ...undo(), ...calls.giveUp() });
  try {
    for (let round = 0; ; round++) {
      const { messages } = state.values;
      const names = mapToolNames([...tools.map(({ name }) => name), ...messages.flatMap(namesIn)], provider.toolNames);
      const show = calls.begin(names.fromWire);
      // A choice that is forced on every round would have the model call the tool for ever.
      const { toolChoice } = options;
      const choice = round > 0 && toolChoice && toolChoice !== "none" ? "auto" : toolChoice;
      const asked = {
        messages: messages.map((message) => rename(message, names)),
        options: tools.length > 0 ? { ...plain, ...declare(tools, choice, { names, provider }) } : plain,
      };
      const answer = (round === 0 && first) || (await ask(maxRounds > 0 ? { ...asked, show } : asked));
      signal.throwIfAborted();
      if (maxRounds > 0) state.update(show(answer));
      const open = calls.current;
      if (open.length === 0) return assistantMessage(answer);
      complete(open, answer);
      if (round === maxRounds)
        throw new Error(`maxToolRoundtrips exceeded: the model asked for tools after ${maxRounds} rounds of them.`);
      run.open = open;
      run.answer = undefined;
      run.add(
        assistantMessage(answer, {
          toolCalls: open.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
        }),
      );
      await callAll(open, { run, tools, show: calls.show });
      run.open = undefined;
      run.add(...open.map(toolMessage));
    }
  } finally {
    close();
  }
}

/**
 * Many servers end an answer that has calls as they end any other; one without arguments counts unless it was cut off.
 */
function complete(open: readonly AiToolCallState[], answer: Answer): void {
  const { finishReason = "stop" } = answer;
  if (finishReason !== "stop" && finishReason !== "tool_use") return;
  answer.finishReason = "tool_use";
  for (const call of open) call.arguments = call.arguments.trim() || "{}";
}

/** Runs calls in parallel, each with its own signal: runtimes warn about a leak if one signal has many listeners. */
async function callAll(open: readonly AiToolCallState[], { run, ...needs }: CallNeeds): Promise<void> {
  const { signal } = run;
  const calls = open.map((call) => ({ call, stop: new AbortController() }));
  const stopAll = () => {
    for (const { stop } of calls) stop.abort(signal.reason);
  };
  signal.addEventListener("abort", stopAll);
  // A listener may have stopped it.
  if (signal.aborted) stopAll();
  await Promise.all(calls.map(({ call, stop }) => callTool(call, { ...needs, run: { ...run, signal: stop.signal } })));
  signal.removeEventListener("abort", stopAll);
}

function namesIn({ toolCalls = [] }: AiMessage): string[] {
  return toolCalls.map(({ name }) => name);
}

function rename(message: AiMessage, { toWire }: ToolNames): AiMessage {
  const { toolCalls } = message;
  return toolCalls
    ? { ...message, toolCalls: toolCalls.map((call) => ({ ...call, name: toWire(call.name) })) }
    : message;
}

interface Declaring {
  readonly names: ToolNames;
  readonly provider: IAiProvider;
}

function declare(
  tools: readonly AiTool[],
  choice: AiToolChoice | undefined,
  { names: { toWire }, provider: { files } }: Declaring,
): Pick<AiRequestOptions, "tools" | "toolChoice"> {
  if (typeof choice === "object" && tools.every(({ name }) => name !== choice.name))
    throw new Error(`toolChoice names "${choice.name}", which is no tool of this request.`);
  const declared = tools.map((tool) => ({
    ...(typeof files === "string" ? inVendorsForm(tool, files) : tool),
    name: toWire(tool.name),
  }));
  const toolChoice = typeof choice === "object" ? { name: toWire(choice.name) } : choice;
  return { tools: declared, ...(toolChoice && { toolChoice }) };
}

/** Its handler is given only what its own schema takes. */
function inVendorsForm(tool: AiTool, vendor: SchemaRuleName): AiTool {
  const { schema, words, changes } = fitTool(tool.parameters, vendor);
  const said = changes.join("; ");
  if (said && isDevelopment() && warned.get(tool.parameters) !== said) {
    warned.set(tool.parameters, said);
    console.warn(`The tool "${tool.name}" is given to ${vendor} otherwise than declared (${said}).`);
  }
  return { ...tool, parameters: schema, description: [tool.description, words].filter(Boolean).join(" ") };
}

const warned = new WeakMap<object, string>();

interface ToolCalls {
  readonly current: readonly AiToolCallState[];
  /** Starts another round. Returns a listener for the parts of its answer besides the text. */
  begin(nameOf: (name: string) => string): (answer: Answer) => Partial<CoreValues>;
  show(): void;
  /** Marks open calls as failed, and returns the changed values. */
  giveUp(): Partial<CoreValues>;
}

/** All calls of one send as they are shown: streaming, running and done. */
function createToolCalls(state: CoreState): ToolCalls {
  let earlier: readonly AiToolCallState[] = [];
  let current: readonly AiToolCallState[] = [];
  const all = () => ({ toolCalls: [...earlier, ...current] });
  return {
    get current() {
      return current;
    },
    begin(nameOf) {
      earlier = [...earlier, ...current];
      current = [];
      const spent = state.values.usage;
      let { usage: used } = state.values;
      let sum = spent;
      let seen = 0;
      const ids = { own: `call_${newId()}`, taken: earlier.map(({ id }) => id) };
      return ({ usage, deltas }) => {
        if (usage !== used) sum = addUsage(spent, usage);
        used = usage;
        const hasMore = deltas.length > seen;
        seen = deltas.length;
        if (hasMore) current = mergeCalls(deltas, nameOf, ids);
        return { usage: sum, ...(hasMore && all()) };
      };
    },
    show: () => state.update(all()),
    giveUp() {
      const open = [...earlier, ...current].filter(({ result }) => result === undefined);
      for (const call of open) call.status = "failed";
      return open.length > 0 ? all() : {};
    },
  };
}

function isWhole(json: string): boolean {
  return json.trimEnd().endsWith("}") && objectIn(json) !== undefined;
}

/** The calls that the deltas are parts of, each with an id that no other has. */
function mergeCalls(
  deltas: readonly AiToolCallDelta[],
  nameOf: (name: string) => string,
  ids: { readonly own: string; readonly taken: readonly string[] },
): AiToolCallState[] {
  const calls = new Map<number, AiToolCallState>();
  const all: AiToolCallState[] = [];
  for (const { index, id, name = "", argumentsDelta = "", arguments: whole } of deltas) {
    let call = calls.get(index);
    // Some give all calls the same number, and some a whole call again at its end.
    const isAfter = call && name && argumentsDelta.trim() && isWhole(call.arguments);
    const isAgain = isAfter && id && id === call?.id;
    if (!call || (isAfter && !isAgain)) {
      call = { id: "", name: "", arguments: "", status: "streaming" };
      calls.set(index, call);
      all.push(call);
    }
    if (id) call.id = id;
    // It comes whole, often again in each delta; or in parts, before the arguments.
    const isMore = call.name && !call.arguments && !name.startsWith(call.name);
    if (name) call.name = isMore ? call.name + name : name;
    call.arguments = whole || (isAgain && isWhole(argumentsDelta) ? "" : call.arguments) + argumentsDelta;
  }
  const taken = new Set(ids.taken);
  for (const [at, call] of all.entries()) {
    call.name = nameOf(call.name);
    if (!call.id || taken.has(call.id)) call.id = `${ids.own}_${at}`;
    taken.add(call.id);
  }
  return all;
}

/** The sum of two answers' usage. */
function addUsage(one: AiUsage | null, other: AiUsage | null): AiUsage | null {
  if (!one || !other) return one ?? other;
  const sum: AiUsage = { ...one };
  for (const [name, count] of Object.entries(other)) {
    const key = name as Exclude<keyof AiUsage, "quota">;
    sum[key] = (sum[key] ?? 0) + Number(count);
  }
  // Of a part it would be the cost of too little.
  if (one.cost === undefined || other.cost === undefined) delete sum.cost;
  return sum;
}

interface GatheredTools {
  readonly tools: readonly AiTool[];
  close(): void;
}

/** The tools that a request declares, and those of its sources. */
async function gatherTools(options: AiRequestOptions, { signal, desk }: Run): Promise<GatheredTools> {
  const { tools = [], mcp = [] } = options;
  if (tools === "page" || tools.includes("page") || mcp.length > 0) {
    return await (await import("./sources/tool-sources.ts")).loadToolSources(options, signal, desk);
  }
  const declared = tools.filter((tool) => tool !== "page");
  const names = new Set(declared.map(({ name }) => name));
  for (const { name } of declared) {
    if (!names.delete(name)) throw new Error(`Two tools are named "${name}": give one of them another name.`);
  }
  return { tools: declared, close: () => undefined };
}
