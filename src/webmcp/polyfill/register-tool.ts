import { documentTools, isToolName } from "./document-tools.ts";
import type { DocumentTool, RunningCall } from "./document-tools.ts";
import { failure } from "./failure.ts";
import { offerForms, refreshForms } from "./forms/watch-forms.ts";
import { later } from "../later.ts";
import { tellNeighbours } from "./page-windows.ts";
import { readOrigins, readSignal, readTool, toJson } from "./read-arguments.ts";
import type { GivenTool } from "./read-arguments.ts";
import { messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { resultText } from "./result-text.ts";
import { getParts } from "./parts.ts";

/** Adds a script's tool. It can be called at once; the promise resolves after `toolchange`. */
export function registerTool(value: unknown, options: unknown): Promise<void> {
  const given = readTool(value);
  const assertOrigins = readOrigins(options, "exposedTo");
  const signal = readSignal(options);
  assertFree(given.name);
  if (given.description === "") throw failure("InvalidStateError", "Description is required.");
  const tool = scriptTool(given);
  signal?.throwIfAborted();
  // Frames of other origins are unreachable from here, but a mistake in the list is still an error.
  assertOrigins();
  documentTools.set(tool.name, tool);
  tellNeighbours();
  return new Promise((resolve, reject) => {
    later(resolve);
    signal?.addEventListener("abort", () => {
      documentTools.delete(tool.name);
      tellNeighbours();
      offerForms();
      reject(signal.reason);
    });
  });
}

function assertFree(name: string): void {
  if (!isToolName(name)) {
    const rule = "a name is 1 to 128 letters, digits, dots, dashes or underscores.";
    throw failure("InvalidStateError", `Invalid tool name ${JSON.stringify(name)}: ${rule}`);
  }
  refreshForms();
  if (documentTools.has(name)) throw failure("InvalidStateError", `Duplicate tool name "${name}".`);
}

function scriptTool({ execute, schema, ...tool }: GivenTool): DocumentTool {
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

/** The function's result as a promise, which rejects if it throws. */
async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}

/**
 * Validates a tool's input against its schema, and throws the draft's DataError. An unusable schema accepts everything,
 * because browsers accept it, too.
 */
function checkInput(tool: string, json: string): (input: object) => Promise<void> {
  const schema = JSON.parse(json) as JsonObject;
  return async (input) => {
    const [problem] = await problems(schema, input).catch((error: unknown) => {
      console.warn(`Pagewire: the input of the tool "${tool}" is not checked: ${messageOf(error)}`);
      return [];
    });
    if (!problem) return;
    const { path, keyword } = problem;
    throw failure("DataError", JSON.stringify({ path, reason: keyword, schemaPath: `/${keyword}` }));
  };
}

async function problems(schema: JsonObject, input: object) {
  const validate = await getParts().validator();
  return validate(schema, input);
}
