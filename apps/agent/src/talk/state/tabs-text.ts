import type { ParentState } from "../../parent/parent-state.ts";
import type { TabTools } from "../talk-options.ts";

/**
 * Why the assistant has no tools at the hub's home, and what to do; undefined if it has some, or that is still unknown.
 */
export function whyNoTools(parent: ParentState, tabs: TabTools | undefined): string | undefined {
  if (parent.kind !== "none" || tabs?.tools === undefined) return undefined;
  if (tabs.tools.length === 0)
    return "No connected page offers a tool, so the assistant has none. Open the demo, or connect a page: Connected shows how.";
  return tabs.isOn
    ? undefined
    : `The assistant has no tools, because “${tabs.label}” is off. Switch it on at Connected.`;
}
