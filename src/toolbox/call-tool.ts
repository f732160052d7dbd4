import { PagewireError, isJsonObject } from "../wire/index.ts";
import { acceptValue } from "./accept-value.ts";
import type { CallNeeds } from "./calls.ts";
import type { Handler } from "./run-call.ts";
import { toJson } from "./to-json.ts";
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
  if (!entry) throw new PagewireError("tool-not-found", `There is no tool "${tool}" here.`);
  const { definition, output } = entry;
  if (!isJsonObject(input)) {
    throw new PagewireError("arguments-malformed", `The arguments of tool "${tool}" are not a JSON object.`);
  }
  const accepted = await acceptValue(entry.input, input, { tool, side: "input", loadValidator });

  const accept =
    output &&
    ((value: unknown) => {
      const seen = output.standard ? value : JSON.parse(toJson(value, answer));
      return acceptValue(output, seen, { tool, side: "output", loadValidator });
    });
  return async (context) => toolResult(await definition.execute(accepted, context), accept, answer);
}
