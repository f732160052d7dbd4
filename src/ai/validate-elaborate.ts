import { check, wrong } from "./check.ts";
import type { AiRequestOptions } from "./types.ts";

const retryRules = {
  required: "attempts",
  "an integer of zero or more": "attempts",
  "a number of zero or more": "delay maxDelay",
};

const sourceRules = {
  required: "url",
  "a string": "url name",
  "a plain object": "headers",
  "an array of strings": "tools",
};

const toolRules = { "a string": "title origin", "a boolean": "validatesArguments" };

/** Throws, by name, where an option is not what it must be that only elaborate runs read. */
export function validateElaborate(options: AiRequestOptions): void {
  const { retries = 0, toolChoice, mcp = [], tools = [] } = options;
  if (typeof retries === "number") check({ retries }, "", { "an integer of zero or more": "retries" });
  else check(retries, "retries.", retryRules);
  if (typeof toolChoice === "object") check(toolChoice, "toolChoice.", { required: "name", "a string": "name" });
  else check({ toolChoice }, "", { "one of auto, none, required": "toolChoice" });
  for (const [index, source] of mcp.entries()) {
    if (typeof source !== "string") check(source, `mcp[${index}].`, sourceRules);
  }
  for (const [index, tool] of [tools].flat().entries()) {
    if (tool === "page") continue;
    check(tool, `tools[${index}].`, toolRules);
    const { needsApproval = false } = tool;
    if (typeof needsApproval === "boolean" || typeof needsApproval === "function" || needsApproval === "each-call")
      continue;
    throw wrong(`tools[${index}].needsApproval`, 'a boolean, "each-call" or a function', needsApproval);
  }
}
