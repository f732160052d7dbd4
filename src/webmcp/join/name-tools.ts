// Names the browser's tools in the page's toolbox. Where names collide, the page's own tools come first, then those of its
// scripts and forms, then those of frames.
import type { ListedTool } from "./read-model-context.ts";

/** A browser's tool with its name in the toolbox. */
export interface NamedTool {
  readonly name: string;
  readonly listed: ListedTool;
}

export interface NamesInUse {
  /** The window of the document whose tools keep their names. */
  readonly own: Window;
  /** Names of the page's own tools in the toolbox. */
  readonly taken: ReadonlySet<string>;
  /** All names that the page has ever used: frames never get them, even while the page's own tool is gone. */
  readonly reserved: ReadonlySet<string>;
  /** The tools that joined before: a frame's tool keeps its name while it exists. */
  readonly before: readonly NamedTool[];
}

/** Names the tools, in order of priority. A tool whose name the page itself uses is left out. */
export function nameTools(
  tools: readonly ListedTool[],
  { own, taken, reserved, before }: NamesInUse,
): readonly NamedTool[] {
  const used = new Set(taken);
  const named: NamedTool[] = [];
  const add = (name: string, listed: ListedTool) => {
    used.add(name);
    named.push({ name, listed });
  };
  for (const listed of tools) {
    if (listed.window === own && !used.has(listed.name)) add(listed.name, listed);
  }
  for (const name of reserved) used.add(name);
  const newcomers: ListedTool[] = [];
  for (const listed of tools.filter(({ window }) => window !== own)) {
    const earlier = before.find((each) => isSameTool(each.listed, listed));
    if (earlier && !used.has(earlier.name)) add(earlier.name, listed);
    else newcomers.push(listed);
  }
  for (const listed of newcomers) add(freeName(listed.name, used), listed);
  return named;
}

/** Whether two listings describe the same tool. */
export function isSameTool(one: ListedTool, other: ListedTool): boolean {
  return one.window === other.window && one.name === other.name;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `_${number}`;
    const candidate = name.slice(0, longest - suffix.length) + suffix;
    if (!used.has(candidate)) return candidate;
  }
}

const longest = 128;
