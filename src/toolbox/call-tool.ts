import { PagewireError, isJsonObject } from "../wire/index.ts";
import { acceptValue } from "./accept-value.ts";
import type { CallNeeds } from "./calls.ts";
import type { Handler } from "./run-call.ts";
import { toData } from "./to-data.ts";
import type { Sending } from "./to-json.ts";
import { toolResult } from "./tool-result.ts";

export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly answer: Sending;
}

/** Finds a tool's handler and checks its input. The handler's answer is checked when it is there. */
export async function callTool({ tool, input, answer }: ToolCall, needs: CallNeeds): Promise<Handler> {
  const { registered, loadValidator } = needs;
  const entry = registered.get("tools", tool);
  if (!entry)
    throw new PagewireError(
      "tool-not-found",
      `There is no tool "${tool}" here. List the tools again to see what there is.`,
    );
  const { definition, output } = entry;
  if (!isJsonObject(input)) {
    throw new PagewireError("arguments-malformed", `The arguments of tool "${tool}" are not a JSON object.`);
  }
  const accepted = await acceptValue(entry.input, input, { tool, side: "input", loadValidator });
  // Now, because a call whose handler ran must not fail for want of it.
  if (output && !output.standard) await loadValidator();

  const accept =
    output &&
    ((value: unknown) => {
      const seen = output.standard ? value : toData(value, answer);
      return acceptValue(output, seen, { tool, side: "output", loadValidator });
    });
  return {
    execute: (context) => definition.execute(accepted, context),
    finish: (given) => toolResult(given, accept, answer),
  };
}
