import type { AiTool, ApprovalQuestion, DecideApproval } from "../../../ai/index.ts";
import type { PastDecision } from "../../approvals/consents.ts";
import type { PageTool } from "./page-tools.ts";
import { subjectOrigin } from "./subject-origin.ts";
import { unknownOrigin } from "./writers.ts";

export interface ToolGuard {
  /** The origins that wrote something in the conversation by now. */
  readonly writers: () => readonly string[];
  /** The origin of the page whose agent's window the conversation has. */
  readonly parent: () => string | undefined;
  /** What the user has decided about a tool for always. */
  readonly decisionOn: (tool: PageTool) => Promise<PastDecision>;
  /** Hears that a tool may run unasked, since its user has allowed that for always. */
  readonly consented: (tool: string) => void;
}

type Need = Awaited<ReturnType<DecideApproval>>;

/**
 * The tools of a request with what their user decided about them. A tool's word that it only reads is a hint: it counts
 * for the origin that the conversation is about. What a page wrote may be what has a tool called, and may be what a
 * call's arguments carry away: with text of another origin in the conversation no tool runs without being asked about,
 * and no earlier consent counts for it.
 */
export function guardTools(tools: readonly PageTool[], guard: ToolGuard): readonly PageTool[] {
  async function needOf(tool: PageTool, args: unknown): Promise<Need> {
    const { name, origin } = tool;
    const { approved, allowedAs } = await guard.decisionOn(tool);
    if (approved === false)
      throw new Error(`The user has refused the tool "${name}" for always. Only the user can allow it again.`);
    const own = await ownNeedOf(tool, args);
    const writers = guard.writers();
    const textFrom = writers.filter((writer) => writer !== origin || writer === unknownOrigin);
    // What the server gives everybody, it gives the pages that wrote there, too.
    const isForAll = origin === undefined && own === false;
    const change: ApprovalQuestion = allowedAs === undefined ? {} : { allowedAs };
    if (textFrom.length > 0 && !isForAll) return { ...change, textFrom };
    const subject = subjectOrigin({ parent: guard.parent(), writers, tools });
    const isElsewhere = own === false && origin !== undefined && origin !== subject;
    if (own !== true && !isElsewhere) return own;
    if (approved) {
      guard.consented(name);
      return false;
    }
    return isElsewhere ? { ...change, reason: elsewhere(subject) } : change;
  }

  return tools.map((tool) => ({ ...tool, needsApproval: (args: unknown) => needOf(tool, args) }));
}

async function ownNeedOf({ needsApproval = false }: AiTool, args: unknown): Promise<Need> {
  return typeof needsApproval === "function" ? await needsApproval(args) : needsApproval;
}

function elsewhere(subject: string | undefined): string {
  const about =
    subject === undefined || subject === unknownOrigin ? "no page in particular" : subject.replace("https://", "");
  return `This conversation is about ${about}. The tool only reads, by its own word.`;
}
