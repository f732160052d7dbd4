import type { DecideApproval } from "../../../ai/index.ts";
import type { PageTool } from "./page-tools.ts";
import { unknownOrigin } from "./writers.ts";

export interface ToolGuard {
  /** The origins that wrote something in the conversation by now. */
  readonly writers: () => readonly string[];
  /** What the user has decided about a tool for always. */
  readonly decisionOn: (tool: PageTool) => Promise<boolean | undefined>;
  /** Hears that a tool may run unasked, since its user has allowed that for always. */
  readonly consented: (tool: string) => void;
}

/**
 * The tools of a request with what their user decided about them. What a page wrote may be what has a tool called, and
 * may be what a call's arguments carry away: with text of another origin in the conversation no tool runs without being
 * asked about, and no earlier consent counts for it.
 */
export function guardTools(tools: readonly PageTool[], guard: ToolGuard): readonly PageTool[] {
  return tools.map((tool) => ({ ...tool, needsApproval: (args: unknown) => needOf(tool, args, guard) }));
}

async function needOf(
  tool: PageTool,
  args: unknown,
  { writers, decisionOn, consented }: ToolGuard,
): Promise<Awaited<ReturnType<DecideApproval>>> {
  const { name, origin, needsApproval = false } = tool;
  const decision = await decisionOn(tool);
  if (decision === false)
    throw new Error(`The user has refused the tool "${name}" for always. Only the user can allow it again.`);
  const own = typeof needsApproval === "function" ? await needsApproval(args) : needsApproval;
  const textFrom = writers().filter((writer) => writer !== origin || writer === unknownOrigin);
  // What the server gives everybody, it gives the pages that wrote there, too.
  const isForAll = origin === undefined && own === false;
  if (textFrom.length > 0 && !isForAll) return { textFrom };
  if (decision !== true || own !== true) return own;
  consented(name);
  return false;
}
