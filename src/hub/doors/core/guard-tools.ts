import type { NeedsApproval } from "../../../ai/index.ts";
import type { PageTool } from "./page-tools.ts";

export interface ToolGuard {
  /** The apps that speak in the conversation in their user's place. */
  readonly speakers: readonly string[];
  /** Whose tools have given the conversation something by now. */
  readonly sources: () => readonly string[];
  /** What the user has decided about a tool for always. */
  readonly decisionOn: (tool: PageTool) => Promise<boolean | undefined>;
}

/**
 * The tools of a request with what their user decided about them. Where an app has spoken, its words may be what has a
 * tool called: then no tool of another origin runs without being asked about, and no earlier consent counts for it. Once
 * the conversation holds what other origins' tools gave, its own are asked about too: it could have that brought to it.
 */
export function guardTools(tools: readonly PageTool[], guard: ToolGuard): readonly PageTool[] {
  return tools.map((tool) => ({ ...tool, needsApproval: (args: unknown) => needOf(tool, args, guard) }));
}

async function needOf(
  tool: PageTool,
  args: unknown,
  { speakers, sources, decisionOn }: ToolGuard,
): Promise<NeedsApproval> {
  const { name, origin, needsApproval = false } = tool;
  const own = typeof needsApproval === "function" ? await needsApproval(args) : needsApproval;
  const decision = await decisionOn(tool);
  if (decision === false)
    throw new Error(`The user has refused the tool "${name}" for always. Only the user can allow it again.`);
  // What the server gives everybody, it gives that app, too.
  const isForAll = origin === undefined && own === false;
  const isSteered = speakers.length > 0 && [...speakers, ...sources()].some((one) => one !== origin);
  if (isSteered && !isForAll) return "each-call";
  return decision === true && own !== "each-call" ? false : own;
}
