import type { ApprovalRequest } from "pagewire/toolbox";
import { showInvisible } from "pagewire/wire";
import type { ParentState } from "../../parent/connect-parent.ts";

const prefix = "parent-window_";
const longest = 120;

/** A tool's display name; for the hub's questions, the hub's name for it. */
export function toolTitle(name: string, parent: ParentState, asked?: Pick<ApprovalRequest, "title">): string {
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  const tool = parent.kind === "connected" ? parent.tools.find((one) => one.name === own) : undefined;
  return titleText(asked?.title?.trim() || tool?.title?.trim() || (own ?? name));
}

/** An app's title for display: without invisible characters, and shortened so that the rest remains visible. */
export function titleText(title: string): string {
  const text = showInvisible(title.trim());
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The tool's origin if the hub does not send it; the names of the parent's tools show it. */
export function toolOrigin(name: string, parent: ParentState): string | undefined {
  return parent.kind === "connected" && name.startsWith(prefix) ? parent.origin : undefined;
}
