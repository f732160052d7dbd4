import type { ParentState } from "../../parent/connect-parent.ts";

/** Whether the hub has the app's tools for this conversation by now, or there is no app whose tools could come. */
export function hasTools(parent: ParentState, conversation: string | null): boolean {
  if (parent.kind === "waiting") return false;
  return parent.kind !== "connected" || (parent.relay !== "waiting" && conversation !== null);
}
