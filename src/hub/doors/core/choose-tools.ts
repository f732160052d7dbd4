import type { PageTool } from "./page-tools.ts";
import type { AiTool } from "../../../ai/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { HubTool } from "../../options/ai-options.ts";
import type { ToolWish } from "./read-request.ts";

export interface ToolOffer {
  /** The server's tools for this principal. */
  readonly server: readonly HubTool[];
  /** The page's tools; only computed if they are wanted. */
  readonly page: () => readonly PageTool[];
}

/** The tools of one request. A request selects tools by name; it cannot change what a tool is or does. */
export function chooseTools({ named, wantsPage }: ToolWish, { server, page }: ToolOffer): readonly PageTool[] {
  const own = server.filter((tool) => tool !== "page");
  const isPageGiven = own.length < server.length;
  const taken = new Set(own.map(({ name }) => name));
  const pages = wantsPage || isPageGiven ? page().filter(({ name }) => !taken.has(name)) : [];
  const all: readonly PageTool[] = [...own, ...pages];
  if (named === undefined) return all;
  const chosen = new Map<string, PageTool>(wantsPage ? pages.map((tool) => [tool.name, tool]) : []);
  for (const { name, needsApproval } of named) {
    const tool = all.find((one) => one.name === name);
    if (!tool) throw unknown(name, all);
    const isStricter = needsApproval !== false && tool.needsApproval !== "each-call";
    chosen.set(name, isStricter ? { ...tool, needsApproval } : tool);
  }
  return [...chosen.values()];
}

function unknown(name: string, all: readonly AiTool[]): PagewireError {
  const there = all.length === 0 ? "It has none" : `It has ${all.map((tool) => tool.name).join(", ")}`;
  const message = `The server has no tool "${name}" for this request. ${there.slice(0, 500)}.`;
  return new PagewireError("option-refused", message);
}
