import { messageOf } from "../../wire/index.ts";
import { checkInput } from "./check-input.ts";
import type { DocumentTool, RunningCall } from "./document-tools.ts";
import { failure } from "./failure.ts";
import type { GivenTool } from "./read-arguments.ts";
import { toJson } from "./read-arguments.ts";
import { resultText } from "./result-text.ts";

/** A tool that a script registered. */
export function scriptTool({ execute, schema, ...tool }: GivenTool): DocumentTool {
  const json = schema && toJson(schema, "A tool's inputSchema");
  const check = json === undefined ? undefined : checkInput(tool.name, json);
  return {
    ...tool,
    schema: json,
    async run(input: object, { signal, activated }: RunningCall) {
      if (check) await check(input);
      if (check && signal.aborted) throw signal.reason;
      try {
        const answer = attempt(() => execute(input, { signal }));
        activated();
        return resultText(await answer) || "Operation succeeded";
      } catch (error) {
        console.error("WebMCP tool execution failed:", error);
        throw failure("UnknownError", `Tool was executed but failed: ${messageOf(error)}`, error);
      }
    },
  };
}

/** What a function gives as a promise, also when it throws. */
async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}
