import { documentTools, isToolName } from "./document-tools.ts";
import { failure } from "./failure.ts";
import { offerForms, refreshForms } from "./forms/watch-forms.ts";
import { later } from "../later.ts";
import { tellNeighbours } from "./page-windows.ts";
import { readOrigins, readSignal, readTool } from "./read-arguments.ts";
import { scriptTool } from "./script-tool.ts";

/** Adds a tool of a script. It is there at once; the promise says so after `toolchange` did. */
export function registerTool(value: unknown, options: unknown): Promise<void> {
  const given = readTool(value);
  const assertOrigins = readOrigins(options, "exposedTo");
  const signal = readSignal(options);
  assertFree(given.name);
  if (given.description === "") throw failure("InvalidStateError", "Description is required.");
  const tool = scriptTool(given);
  signal?.throwIfAborted();
  // Frames of other origins cannot be reached from here, but a mistake in the list is one everywhere.
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
  if (documentTools.has(name)) throw failure("InvalidStateError", `Duplicate tool name: there is a tool "${name}".`);
}
