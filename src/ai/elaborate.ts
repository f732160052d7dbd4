// Loaded by runs that need more than one request: retries, tools, structured answers, partial answers, named speakers.
import { assistantMessage } from "./messages.ts";
import type { AssistantEntry } from "./messages.ts";
import { namingSpeakers } from "./naming-speakers.ts";
import { parsePartialJson } from "./partial-json.ts";
import { retrying } from "./retrying.ts";
import type { Ask, Run } from "./run.ts";
import { useTools } from "./use-tools.ts";
import type { ToolNeeds } from "./use-tools.ts";
import { toolMessage } from "./tool-message.ts";
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

/** Validates the options that only elaborate runs read; throws with the name of an invalid one. */
function validateElaborate(options: AiRequestOptions): void {
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

/** Returns the final message; throws if there is none. */
export async function elaborate(run: Run, { ask, ...needs }: ToolNeeds): Promise<AssistantEntry> {
  const { onFailure, responseSchema, retries } = run.options;
  validateElaborate(run.options);
  let asking = namingSpeakers(ask);
  if (onFailure === "keep") keepSaid(run);
  if (responseSchema) asking = showingObject(asking);
  if (retries) asking = retrying(run, asking);
  return await useTools(run, { ...needs, ask: asking });
}

function showingObject(ask: Ask): Ask {
  return ({ show, ...asked }) =>
    ask({ ...asked, show: (answer) => ({ ...show?.(answer), object: parsePartialJson(answer.content) ?? null }) });
}

/** Makes a run that ends without an answer keep its finished messages and the text so far, if there is any. */
function keepSaid(run: Run): void {
  const { state, added, undo } = run;
  run.undo = () => {
    const { answer, open = [] } = run;
    const { content = "", reasoning = "" } = answer ?? {};
    const said = [...open.map(toolMessage), ...(content.trim() ? [assistantMessage({ content, reasoning })] : [])];
    const { messages } = state.values;
    const isKept = said.length > 0 || messages.filter(({ id = "" }) => added.has(id)).length > 1;
    return isKept ? { ...undo(), messages: [...messages, ...said] } : undo();
  };
}
