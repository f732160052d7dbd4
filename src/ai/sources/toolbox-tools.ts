import type { CallEnvironment, CallOutcome, Toolbox } from "../../toolbox/index.ts";
import { PagewireError, isForTerminals } from "../../wire/index.ts";
import type { AiTool, AiToolContext } from "../types.ts";
import { modelToolOf } from "./model-tool.ts";
import { textOfResult } from "./result-text.ts";

export interface ToolboxNeeds {
  readonly toolTimeout: number | undefined;
  /** Comes before the names. */
  readonly prefix?: string;
  /** Whose they are, where that is not the asking page's own. */
  readonly origin?: string;
  /** Only these, by the toolbox's own names. */
  readonly only?: readonly string[] | undefined;
}

/** The tools of a toolbox as a model is offered them; those that are for terminals only are not there for it. */
export function toolsOf(toolbox: Toolbox, { prefix = "", origin, only, toolTimeout }: ToolboxNeeds): AiTool[] {
  return toolbox
    .offer()
    .tools.filter((tool) => !isForTerminals(tool) && (only?.includes(tool.name) ?? true))
    .map((tool) => ({
      ...modelToolOf(tool),
      name: `${prefix}${tool.name}`,
      ...(origin !== undefined && { origin }),
      async handler(args: unknown, context: AiToolContext) {
        return textOf(await toolbox.callTool(tool.name, args, environmentOf(context, toolTimeout)), context.signal);
      },
    }));
}

/** The time that a handler has where the request does not say. */
const toolTime = 60_000;
const longestTime = 2 ** 31 - 1;

function environmentOf({ callId, signal }: AiToolContext, toolTimeout = toolTime): CallEnvironment {
  return {
    callId,
    agent: { name: "pagewire/ai" },
    signal,
    deadline: Date.now() + (toolTimeout || longestTime),
    asks: [],
    rounds: false,
    progress() {},
    log() {},
    ask: (method) =>
      Promise.reject(
        new PagewireError("ask-unsupported", `A model called this tool, and cannot be asked for ${method}.`),
      ),
  };
}

/** What the model is told; a failure is thrown, so that it is told as one. */
function textOf(outcome: CallOutcome, signal: AbortSignal): string {
  if (outcome.kind === "aborted") throw signal.reason;
  if (outcome.kind !== "result") throw new Error(outcome.message);
  const text = textOfResult(JSON.parse(outcome.payload));
  if (outcome.isError) throw new Error(text || "The tool failed without a word.");
  return text;
}
