import { expect } from "vitest";
import type { AiRequestOptions, AiTool } from "./index.ts";
import { createConversation, record } from "./model.test-helper.ts";
import type { ModelRequest } from "./model.test-helper.ts";

export const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

export function weather(more: Partial<AiTool> = {}): AiTool {
  return {
    name: "weather",
    description: "The weather.",
    parameters,
    handler: ({ city }) => ({ city, sky: "blue" }),
    ...more,
  };
}

/** Has the model request calls: pairs of a tool's name and its arguments. */
export function call(request: ModelRequest, ...calls: [name: string, args: unknown][]): void {
  request.finish(
    {
      delta: "One moment.",
      toolCallDeltas: calls.map(([name, args], index) => ({
        index,
        id: `c${index}`,
        name,
        argumentsDelta: typeof args === "string" ? args : JSON.stringify(args),
      })),
    },
    { finishReason: "tool_use", usage: { promptTokens: 10, completionTokens: 1 } },
  );
}

/** Runs one round of calls, and returns the results that the model receives. */
export async function resultsOf(given: Partial<AiRequestOptions>, ...calls: [string, unknown][]) {
  const { core, model, send } = createConversation(given);
  const heard = record(core, "tool-call-requested", "tool-call-completed");
  const answer = send("Hi");
  call(await model.next(), ...calls);
  const request = await model.next();
  request.finish({ delta: "Done." });
  expect(await answer).toBe("Done.");
  expect(core.error).toBeNull();
  const results = request.body.messages.filter(({ role }) => role === "tool").map(({ content }) => content as string);
  return { core, heard, results };
}
