// The tools that a page offers through a bridge: its own, and those of a toolbox. Its own tool wins over one with the same name.
import type { Toolbox } from "../toolbox/index.ts";
import { PagewireError, isForTerminals, pageLimits } from "../wire/index.ts";
import type { Tool } from "../wire/index.ts";
import { readTool } from "./read-tools.ts";
import type { ToolCallHandler, ToolDefinition, WindowTool } from "./tool-definition.ts";

/** The part of a toolbox that a bridge uses. */
export type ToolSource = Pick<Toolbox, "offer" | "subscribe" | "callTool">;

export type FoundTool =
  | { readonly kind: "own"; readonly tool: WindowTool; readonly handler: ToolCallHandler | undefined }
  | { readonly kind: "toolbox"; readonly toolbox: ToolSource };

export interface ToolShelf {
  /** Adds tools, and replaces those with the same names; adds none if one is invalid. */
  add(tools: readonly ToolDefinition[]): void;
  remove(name: string): void;
  setHandler(name: string, handler: ToolCallHandler): void;
  list(): readonly WindowTool[];
  find(name: string): FoundTool | undefined;
  /** Stops following the toolbox. */
  close(): void;
}

export function createToolShelf(toolbox: ToolSource | undefined, changed: () => void): ToolShelf {
  const own = new Map<string, WindowTool>();
  const handlers = new Map<string, ToolCallHandler>();
  const stop = toolbox?.subscribe(({ add, remove }) => {
    if (add.tools ?? remove.tools) changed();
  });
  const offered = () => toolbox?.offer().tools.filter((tool) => !isForTerminals(tool)) ?? [];

  return {
    add(tools) {
      const max = pageLimits.offersPerPage;
      const read = tools.map(readOwn);
      if (new Set([...own.keys(), ...read.map(({ name }) => name)]).size > max) {
        const message = `${max} is the most tools that a page may offer (limit offersPerPage).`;
        throw new PagewireError("offers-too-many", message);
      }
      for (const tool of read) own.set(tool.name, tool);
      changed();
    },
    remove: (name) => void (own.delete(name) && changed()),
    setHandler: (name, handler) => void handlers.set(name, handler),
    list: () => [
      ...own.values(),
      ...offered()
        .filter(({ name }) => !own.has(name))
        .map(windowToolOf),
    ],
    find(name) {
      const tool = own.get(name);
      if (tool) return { kind: "own", tool, handler: handlers.get(name) };
      return toolbox && offered().some((other) => other.name === name) ? { kind: "toolbox", toolbox } : undefined;
    },
    close: () => stop?.(),
  };
}

/** The tool as the agent's window parses it; throws if the window would drop it. */
function readOwn(definition: ToolDefinition): WindowTool {
  const tool = readTool(definition);
  if (PagewireError.isInstance(tool)) throw tool;
  return tool;
}

function windowToolOf({ name, description = "", inputSchema, title, annotations }: Tool): WindowTool {
  return { name, description, parameters: inputSchema, ...(title && { title }), ...(annotations && { annotations }) };
}
