import type { AiTool, ApprovalQuestion, DecideApproval } from "../../../ai/index.ts";
import type { PastDecision } from "../../approvals/consents.ts";
import type { PageTool } from "./page-tools.ts";
import { unknownOrigin } from "./writers.ts";

export interface ToolGuard {
  /** The origins whose text is in the conversation so far. */
  readonly writers: () => readonly string[];
  /** The origin of the page that opened the agent's window. */
  readonly parent: () => string | undefined;
  /** The user's permanent decision about a tool. */
  readonly decisionOn: (tool: PageTool) => Promise<PastDecision>;
  /** Called when a tool may run without a question because the user has always allowed it. */
  readonly consented: (tool: string) => void;
}

type Need = Awaited<ReturnType<DecideApproval>>;

/**
 * Applies the user's decisions to the tools of a request. A tool's read-only annotation is only a hint, trusted for the
 * origin that the conversation is about. Text from a page may cause a tool call, and may leak through its arguments: if
 * the conversation contains text of another origin, every call needs a question, and earlier consents do not apply.
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
    // A tool that the server gives to everyone is open to the pages that wrote that text, too.
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

interface Conversation {
  /** The origin of the page that opened the agent's window. */
  readonly parent: string | undefined;
  /** The origins whose text is in the conversation. */
  readonly writers: readonly string[];
  readonly tools: readonly Pick<PageTool, "origin">[];
}

/**
 * The origin that a conversation is about: the parent of its window; without a window, the only origin whose text it
 * contains; before it contains any, the only origin that offers tools. Undefined if there are several candidates.
 */
function subjectOrigin({ parent, writers, tools }: Conversation): string | undefined {
  if (parent !== undefined) return parent;
  const origins = writers.length > 0 ? writers : [...new Set(tools.flatMap(({ origin }) => origin ?? []))];
  return origins.length === 1 ? origins[0] : undefined;
}
