// What a run does: asks the provider until there is an answer. Where that goes, and what a failure undoes, is not known
// here; nor is what only some runs need, which is loaded for them.
import { createAnswer } from "./answer.ts";
import { ask } from "./ask.ts";
import { loaded } from "./loaded.ts";
import { assistantMessage } from "./messages.ts";
import type { AssistantEntry } from "./messages.ts";
import type { Ask, Run } from "./run.ts";

/** Gives the message that ends it; throws where there is none. */
export async function converse(run: Run): Promise<AssistantEntry> {
  const { options, state, signal } = run;
  const { tools, mcp, retries, responseSchema, onFailure, maxToolRoundtrips } = options;
  const { messages } = state.values;
  const provider = await run.loadProvider();

  const askOnce: Ask = async ({ show, ...asked }) => {
    signal.throwIfAborted();
    const answer = (run.answer = createAnswer());
    const view = () => {
      const { content, reasoning, usage } = answer;
      return { content, reasoning, usage, ...show?.(answer) };
    };
    await ask(answer, {
      ...asked,
      provider,
      signal,
      onStream: () => state.update({ content: "", reasoning: "", streaming: true }),
      onMore: () => state.later(view),
    });
    signal.throwIfAborted();
    state.later(view);
    return answer;
  };

  const isSimple =
    !(tools || mcp || retries || responseSchema || onFailure) &&
    !messages.some(({ toolCalls, from }) => toolCalls || from);
  const answer = isSimple ? await askOnce({ messages, options }) : undefined;
  if (answer && (answer.deltas.length === 0 || maxToolRoundtrips === 0)) return assistantMessage(answer);
  const { elaborate } = await loaded(import("./elaborate.ts"));
  return await elaborate(run, { provider, ask: askOnce, first: answer });
}
