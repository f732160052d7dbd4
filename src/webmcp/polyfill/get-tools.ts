import type { RegisteredTool } from "../model-context.ts";
import type { ListedTool } from "./page-windows.ts";
import { nativeTools, neighbourAt, pageWindows } from "./page-windows.ts";
import { readOrigins } from "./read-arguments.ts";

/** The tools of all documents of this origin in the page as they are now, by name. */
export async function getTools(options: unknown): Promise<RegisteredTool[]> {
  readOrigins(options, "fromOrigins")();
  const found = await Promise.all(pageWindows().map(toolsOf));
  return found.flat().sort((one, other) => Number(one.name > other.name) - Number(one.name < other.name));
}

async function toolsOf(there: Window): Promise<RegisteredTool[]> {
  const neighbour = neighbourAt(there);
  return neighbour ? neighbour.list().map((tool) => registeredTool(tool, there)) : nativeTools(there);
}

/** Plain objects of this window, whatever window they are from. */
function registeredTool({ name, title, description, schema, annotations }: ListedTool, window: Window): RegisteredTool {
  return {
    ...(annotations && { annotations: { ...annotations } }),
    description,
    ...(schema !== undefined && { inputSchema: JSON.parse(schema) as NonNullable<RegisteredTool["inputSchema"]> }),
    name,
    origin,
    title,
    window,
  };
}
