// Parses an agent's window's report of what its parent page offers.
import {
  PagewireError,
  identifierPattern,
  isJsonObject,
  itemProblem,
  parseJsonObject,
  textOf,
  typedSchema,
} from "../../../wire/index.ts";
import type { Json, JsonObject, Limits, Payload, Tool, ToolAnnotations } from "../../../wire/index.ts";
import { policyHints } from "../../../policy/index.ts";
import { isOrigin } from "../../common/is-origin.ts";
import { isConversationId } from "../../store/index.ts";

/** The content that a window adds to a conversation. */
export interface WindowOffer {
  /** The parent's origin, as the window verified it. */
  readonly origin: string | undefined;
  readonly tools: readonly Tool[];
  /** Whether the user lets the model use the tools of other tabs, too; the id of a tab for only that one. */
  readonly otherTabs: boolean | string;
  /** Whether it leaves a conversation to a window whose offer does not yield. */
  readonly yields: boolean;
}

export interface ReadOffer {
  /** The session to update; undefined for a new one. */
  readonly session: string | undefined;
  readonly offer: WindowOffer;
}

export type OfferLimits = Pick<Limits, "jsonDepth" | "offersPerPage" | "schemaBytes">;

export function readOffer(body: Payload, limits: OfferLimits): ReadOffer {
  const given = parseJsonObject(textOf(body), limits.jsonDepth);
  if (!given) throw malformed("The body must be a JSON object that does not nest too deep.");
  const { tools, session_id: session, origin, other_tabs: otherTabs = false, yields = false } = given;
  if (!isMissing(session) && !isConversationId(session))
    throw malformed('"session_id" must be the id of a conversation.');
  if (!isMissing(origin) && !isOrigin(origin))
    throw malformed('"origin" must be an origin, such as https://app.example.');
  if (typeof otherTabs !== "boolean" && !isTabId(otherTabs))
    throw malformed('"other_tabs" must be true, false or the id of a tab.');
  if (typeof yields !== "boolean") throw malformed('"yields" must be true or false.');
  return {
    session: isMissing(session) ? undefined : session,
    offer: { origin: isMissing(origin) ? undefined : origin, tools: readTools(tools, limits), otherTabs, yields },
  };
}

function readTools(given: Json | undefined, limits: OfferLimits): readonly Tool[] {
  if (!Array.isArray(given) || !given.every(isJsonObject)) throw malformed('"tools" must be a list of objects.');
  const { offersPerPage: max } = limits;
  if (given.length > max)
    throw new PagewireError(
      "offers-too-many",
      `A page can offer ${max} tools (limit offersPerPage), not ${given.length}.`,
    );
  // If a page declares a tool twice, the later declaration counts.
  return [...new Map(given.map((tool) => readTool(tool, limits)).map((tool) => [tool.name, tool])).values()];
}

function readTool(given: JsonObject, limits: OfferLimits): Tool {
  const { name, title, description = "", parameters = {}, annotations } = given;
  const item = {
    name: typeof name === "string" ? name : "",
    ...(!isMissing(title) && { title }),
    description,
    inputSchema: typedSchema(parameters),
    ...(!isMissing(annotations) && { annotations }),
  };
  const wrong = itemProblem("tools", item, limits);
  if (wrong) {
    const code = wrong.code === "frame-malformed" ? "request-malformed" : wrong.code;
    const shown = JSON.stringify(name ?? null).slice(0, 140);
    throw new PagewireError(code, `The tool ${shown} ${wrong.problem}.`);
  }
  return { ...(item as JsonObject as unknown as Tool), annotations: readHints(annotations) };
}

/** The page's annotations: a consent covers all of them, and a policy may match each. */
function readHints(given: Json | undefined): ToolAnnotations {
  const hints = isJsonObject(given) ? given : {};
  const known = policyHints.filter((hint) => typeof hints[hint] === "boolean").map((hint) => [hint, hints[hint]]);
  return { ...Object.fromEntries(known), readOnlyHint: hints["readOnlyHint"] === true };
}

function isTabId(value: Json): value is string {
  return typeof value === "string" && identifierPattern.test(value);
}

function isMissing(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
