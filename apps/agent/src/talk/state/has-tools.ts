import type { ParentState } from "../../parent/connect-parent.ts";

/** Whether the hub has the tools for this conversation by now: an app's, or without one those of the user's tabs, where it may use them. */
export function hasTools(parent: ParentState, conversation: string | null, mayUseTabs: boolean): boolean {
  if (parent.kind === "waiting") return false;
  if (parent.kind !== "connected" && !(parent.kind === "none" && mayUseTabs)) return true;
  return parent.relay !== undefined && parent.relay !== "waiting" && conversation !== null;
}
