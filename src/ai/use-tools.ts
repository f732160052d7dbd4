// What a run does where tools are in play: tells the provider of them, has its calls run, and asks again. Loaded then.
import type { Answer } from "./answer.ts";
import { callTool } from "./call-tool.ts";
import type { CallNeeds } from "./call-tool.ts";
import { gatherTools } from "./gather-tools.ts";
import { assistantMessage } from "./messages.ts";
import type { AssistantEntry } from "./messages.ts";
import type { IAiProvider } from "./provider.ts";
import type { Ask, Run } from "./run.ts";
import { createToolCalls } from "./tool-calls.ts";
import { toolMessage } from "./tool-message.ts";
import { mapToolNames } from "./tool-names.ts";
import type { ToolNames } from "./tool-names.ts";
import type { AiMessage, AiRequestOptions, AiTool, AiToolCallState, AiToolChoice } from "./types.ts";

const defaultRounds = 10;

export interface ToolNeeds {
  readonly provider: IAiProvider;
  readonly ask: Ask;
  /** An answer that is there already, with calls that nobody declared a tool for. */
  readonly first: Answer | undefined;
}

/** Gives the message that ends it; throws where there is none. */
export async function useTools(run: Run, { provider, ask, first }: ToolNeeds): Promise<AssistantEntry> {
  const { options, signal, state } = run;
  const { tools: _tools, toolChoice: _choice, mcp: _mcp, ...plain } = options;
  const most = options.maxToolRoundtrips ?? defaultRounds;
  const { tools, close } = await gatherTools(most > 0 ? options : plain, run);
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
        options: tools.length > 0 ? { ...plain, ...declare(tools, names, choice) } : plain,
      };
      const answer = (round === 0 && first) || (await ask(most > 0 ? { ...asked, show } : asked));
      signal.throwIfAborted();
      if (most > 0) state.update(show(answer));
      const open = calls.current;
      if (open.length === 0) return assistantMessage(answer);
      complete(open, answer);
      if (round === most)
        throw new Error(`maxToolRoundtrips exceeded: the model asked for tools after ${most} rounds of them.`);
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

/** Many servers end an answer that has calls as they end any other; one without arguments counts unless it was cut off. */
function complete(open: readonly AiToolCallState[], answer: Answer): void {
  const { finishReason = "stop" } = answer;
  if (finishReason !== "stop" && finishReason !== "tool_use") return;
  answer.finishReason = "tool_use";
  for (const call of open) call.arguments = call.arguments.trim() || "{}";
}

/** Runs calls side by side, each with a signal of its own: a runtime takes many listeners on one for a leak. */
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

function declare(
  tools: readonly AiTool[],
  { toWire }: ToolNames,
  choice: AiToolChoice | undefined,
): Pick<AiRequestOptions, "tools" | "toolChoice"> {
  if (typeof choice === "object" && tools.every(({ name }) => name !== choice.name))
    throw new Error(`toolChoice names "${choice.name}", which is no tool of this request.`);
  const declared = tools.map((tool) => ({ ...tool, name: toWire(tool.name) }));
  const toolChoice = typeof choice === "object" ? { name: toWire(choice.name) } : choice;
  return { tools: declared, ...(toolChoice && { toolChoice }) };
}
