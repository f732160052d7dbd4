// The tools of a conversation that has an agent's window: those of the page that opened it, and those of the user's
// other tabs if the user lets the model use them.
import { modelToolOf, textOfResult } from "../../../ai/index.ts";
import { isJsonObject, messageOf, PagewireError } from "../../../wire/index.ts";
import type { Json, JsonObject, Tool } from "../../../wire/index.ts";
import { unknownOrigin } from "./writers.ts";
import { windowSubject } from "../window/call-rules.ts";
import type { WindowSession } from "../window/window-session.ts";
import { pageTools, tabTools } from "./page-tools.ts";
import type { PageScope, PageTool } from "./page-tools.ts";

/** A prefix for names, so that a page cannot give its tool the name of another page's. */
const parentPrefix = "parent-window_";
const otherPrefix = "other-tab_";

/** The origin of the page that opened the window; undefined if none did. */
export function parentOf(session: WindowSession | undefined): string | undefined {
  const { origin, tools = [] } = session?.offer ?? {};
  return origin ?? (tools.length > 0 ? unknownOrigin : undefined);
}

export function windowTools(session: WindowSession, scope: PageScope): readonly PageTool[] {
  const parents = session.tools.map((tool) => parentTool(tool, session, scope));
  return session.offer.otherTabs === false ? parents : [...parents, ...otherTools(session, scope)];
}

function parentTool(tool: Tool, session: WindowSession, { allowedBy, isAsked, checkTool }: PageScope): PageTool {
  const { name } = tool;
  const { origin } = session.offer;
  return {
    ...modelToolOf(tool),
    ...(isAsked(windowSubject(tool, origin)) && { needsApproval: "each-call" as const }),
    name: parentPrefix + name,
    ownName: name,
    origin: origin ?? unknownOrigin,
    // The session has its own limit.
    timeout: 0,
    async handler(given: unknown, { callId, name: listed, signal }) {
      const allowance = allowedBy(callId, listed);
      try {
        checkTool?.(tool);
        return textOfAnswer(await session.call({ name, origin, arguments: given, callId, ...allowance, signal }));
      } catch (error) {
        throw new Error(reasonOf(error), { cause: error });
      }
    },
  };
}

/**
 * The tools of other tabs, or of the one that the user chose. The page that opened the window may be a tab too: tools that it offers twice are listed
 * once.
 */
function otherTools({ offer }: WindowSession, scope: PageScope): readonly PageTool[] {
  const parents = new Set(offer.tools.map(({ name }) => name));
  const isParents = ({ ownName = "", origin }: PageTool) => origin === offer.origin && parents.has(ownName);
  const { otherTabs } = offer;
  return (typeof otherTabs === "string" ? tabTools(otherTabs, scope) : pageTools(scope))
    .filter((tool) => !isParents(tool))
    .map((tool) => ({ ...tool, name: otherPrefix + tool.name }));
}

/** A result for the model: a text as it is, an MCP result as its texts, and anything else as JSON. */
function textOfAnswer(result: Json): string {
  if (typeof result === "string") return result;
  if (!isMcpResult(result)) return JSON.stringify(result);
  const text = textOfResult(result);
  if (result["isError"] === true) throw new Error(text || "The tool failed without a word.");
  return text;
}

const resultFields = ["content", "structuredContent", "isError", "_meta"];

function isMcpResult(value: Json): value is JsonObject {
  if (!isJsonObject(value) || !Object.keys(value).every((name) => resultFields.includes(name))) return false;
  const { content } = value;
  return Array.isArray(content) && content.every((block) => isJsonObject(block) && typeof block["type"] === "string");
}

/** The error's message, with its code unless that only means that the tool failed. */
function reasonOf(error: unknown): string {
  const code = PagewireError.isInstance(error) && error.code !== "handler-failed" ? ` (${error.code})` : "";
  return messageOf(error) + code;
}
