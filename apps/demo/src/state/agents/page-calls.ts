// Every call that runs in this page, from any source.
import type { AskInPage, Page, PageCallEvent } from "pagewire/page";
import { createListeners, logError } from "pagewire/toolbox";
import type { CallEnvironment, CallOutcome, Toolbox } from "pagewire/toolbox";
import { isJsonObject, PagewireError } from "pagewire/wire";

export interface PageCalls extends Pick<Page, "onCall"> {
  /**
   * The page's tools for an agent that does not call through the page's hub; its calls are reported under this name.
   */
  toolboxFor(agent: string): Toolbox;
}

export interface PageCallsOptions {
  readonly page: Pick<Page, "onCall" | "toolbox">;
  readonly now: () => number;
  /** Asks the user of the page a tool's question. */
  readonly ask: AskInPage;
}

/** The calls of the page's hub, and those that come through its toolboxes. */
export function createPageCalls({ page, now, ask }: PageCallsOptions): PageCalls {
  const listeners = createListeners<PageCallEvent>(logError);
  const { tell } = listeners;
  page.onCall(tell);

  async function run(name: string, input: unknown, environment: CallEnvironment): Promise<CallOutcome> {
    const { callId, agent, signal } = environment;
    const about = { id: callId, method: "tools/call", name, agent: agent.name };
    const startedAt = now();
    tell({ ...about, event: "started", arguments: isJsonObject(input) ? input : {} });
    const outcome = await page.toolbox.callTool(name, input, {
      ...environment,
      ask: (method, parameters) => ask(method, parameters, signal),
      progress(progress, total, message) {
        tell({ ...about, event: "progress", progress, total });
        environment.progress(progress, total, message);
      },
    });
    tell({ ...about, event: "ended", outcome: nameOf(outcome, signal), milliseconds: now() - startedAt });
    return outcome;
  }

  return {
    onCall: listeners.add,
    toolboxFor: (agent) => ({
      ...page.toolbox,
      callTool: (name, input, environment) => run(name, input, { ...environment, agent: { name: agent } }),
    }),
  };
}

function nameOf(outcome: CallOutcome, signal: AbortSignal): NonNullable<PageCallEvent["outcome"]> {
  switch (outcome.kind) {
    case "result":
      return outcome.isError ? "tool-error" : "ok";
    case "refused":
      return "rejected";
    case "failed":
      return "tool-error";
    case "aborted": {
      const { reason } = signal;
      return PagewireError.isInstance(reason) && reason.code === "deadline-exceeded" ? reason.code : "cancelled";
    }
  }
}
