import { unlessAborted } from "../toolbox/index.ts";
import { messageOf } from "../wire/index.ts";
import { failedResult } from "./browser-result.ts";
import type { ModelContextTool } from "./model-context.ts";

/**
 * What a browser is given to run a tool. It never throws, only rejects, with an error; and what it gives is text or
 * plain data, because there are values that crash a tab whose tool gives them to its browser.
 */
export function executeSafely(
  run: (input: object, signal: AbortSignal) => Promise<string | object>,
): ModelContextTool["execute"] {
  return async (input: object | undefined, options) => {
    // Older browsers say nothing of a call's end, and may leave out an input that is empty.
    const signal = options?.signal ?? new AbortController().signal;
    try {
      signal.throwIfAborted();
      return plain(await unlessAborted(run(input ?? {}, signal), signal));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof Error ? error : new Error(messageOf(error));
    }
  };
}

function plain(answer: unknown): string | object {
  if (typeof answer === "string") return answer;
  if (typeof answer !== "object" || answer === null) {
    const kind = answer === null ? "null" : typeof answer;
    return failedResult(`The tool's answer is neither text nor an object, but ${kind}.`, "result-unsendable");
  }
  try {
    return JSON.parse(JSON.stringify(answer)) as object;
  } catch (error) {
    return failedResult(`The tool's answer cannot be sent: ${messageOf(error)}`, "result-unsendable");
  }
}
