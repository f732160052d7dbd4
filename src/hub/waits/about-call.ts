// The inbox's view of a call that waits for a person.
import type { Aim, CallRequest } from "../../switchboard/index.ts";
import type { ApprovalRequest } from "../../toolbox/index.ts";
import { isForTerminals, parseJsonObject, textOf } from "../../wire/index.ts";
import type { JsonObject, Payload } from "../../wire/index.ts";
import type { Wait } from "./wait.ts";

/** Max characters of a tool's description, and of its title. */
const maxDescription = 2000;
const maxTitle = 200;
/** Max characters of a question: a larger one is asked elsewhere only. */
const maxQuestion = 100_000;
/** Max nesting of a question: forms are flat. */
const maxDepth = 10;

interface CallerFacts {
  readonly name: string;
  readonly door?: string | undefined;
}

/** The facts about a call: who calls which tool of which page, with what. */
export function aboutCall(
  { name: agent, door }: CallerFacts,
  request: Pick<CallRequest, "name" | "arguments">,
  aim: Aim | undefined,
): Omit<Wait, "kind" | "reason"> {
  const { tab, tool } = aim ?? {};
  const title = tool?.title ?? tool?.annotations?.title;
  return {
    ...{ agent, door, tab: tab?.tabId, page: tab?.title, origin: tab?.origin, app: tab?.app },
    tool: aim?.name ?? request.name,
    title: title?.slice(0, maxTitle),
    description: tool?.description?.slice(0, maxDescription),
    destructive: tool?.annotations?.destructiveHint ? true : undefined,
    arguments: textOf(aim?.arguments ?? request.arguments) || "{}",
    isSecret: tool && isForTerminals(tool) ? true : undefined,
  };
}

interface ConversationFacts {
  readonly tool: string;
  readonly conversation: string;
  /** The page whose conversation it is; undefined for the user's own. */
  readonly origin: string | undefined;
}

/** A tool's approval in a conversation, as the conversation shows it. */
export function aboutApproval(
  approval: ApprovalRequest | undefined,
  { tool, conversation, origin: asker }: ConversationFacts,
): Wait {
  const { title, description, destructive, origin = asker, agent, textFrom, changed, once } = approval ?? {};
  return {
    ...{ kind: "approval", door: "model", reason: approval?.reason ?? "" },
    ...{ agent: agent?.name, conversation, origin, tool, title, description, destructive, textFrom, changed },
    arguments: JSON.stringify(approval?.arguments ?? {}),
    scopes: once ? undefined : ["session", "always"],
  };
}

/** A tool's question as a form; undefined for one that is too large or asks otherwise. */
export function readQuestion(parameters: Payload): Pick<Wait, "message" | "schema"> | undefined {
  const text = textOf(parameters);
  if (text.length > maxQuestion) return undefined;
  const { message, requestedSchema, mode = "form" }: JsonObject = parseJsonObject(text, maxDepth) ?? {};
  if (mode !== "form" || typeof message !== "string") return undefined;
  const isSchema = typeof requestedSchema === "object" && requestedSchema !== null && !Array.isArray(requestedSchema);
  return { message, schema: isSchema ? (requestedSchema as JsonObject) : undefined };
}
