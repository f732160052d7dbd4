import { browserToolAnswer } from "./browser-tool-answer.ts";
import { browserToolFailure } from "./browser-tool-failure.ts";
import { findForm } from "./find-form.ts";
import { callForm } from "./form-calls.ts";
import type { NamedTool } from "./name-tools.ts";
import type { ListedTool } from "./read-model-context.ts";

export interface BrowserCall {
  readonly input: object;
  readonly signal: AbortSignal;
  /** Whether the browser still lists the tool. */
  isThere(listed: ListedTool): Promise<boolean>;
}

/** Has the browser run a tool, and gives what a toolbox's handler is to answer. */
export async function runBrowserTool({ name, listed }: NamedTool, call: BrowserCall): Promise<unknown> {
  const { input, signal, isThere } = call;
  const execute = async (ending: AbortSignal) => listed.context.executeTool(listed.given, input, { signal: ending });
  try {
    signal.throwIfAborted();
    const given = findForm(listed) ? await callForm(listed, signal, execute) : await execute(signal);
    return browserToolAnswer(name, given);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw browserToolFailure(name, error, await isThere(listed));
  }
}
