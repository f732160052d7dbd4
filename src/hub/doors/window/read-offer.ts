// What an agent's window says its parent page offers: parsed, or refused by name.
import {
  PagewireError,
  itemNamePattern,
  itemNameProblem,
  isJsonObject,
  parseJsonObject,
  textOf,
} from "../../../wire/index.ts";
import type { Json, JsonObject, Limits, Payload, Tool } from "../../../wire/index.ts";
import { isOrigin } from "../../http/is-origin.ts";
import { isConversationId } from "../../store/index.ts";

/** What a window brings into a conversation. */
export interface WindowOffer {
  /** The parent's origin, as the window verified it. */
  readonly origin: string | undefined;
  readonly tools: readonly Tool[];
  /** Whether the user lets the model use the tools of other tabs, too. */
  readonly otherTabs: boolean;
  /** Whether it leaves a conversation to a window whose offer does not yield. */
  readonly yields: boolean;
}

export interface ReadOffer {
  /** The session that it is for; undefined for a new one. */
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
  if (typeof otherTabs !== "boolean") throw malformed('"other_tabs" must be true or false.');
  if (typeof yields !== "boolean") throw malformed('"yields" must be true or false.');
  return {
    session: isMissing(session) ? undefined : session,
    offer: { origin: isMissing(origin) ? undefined : origin, tools: readTools(tools, limits), otherTabs, yields },
  };
}

function readTools(given: Json | undefined, limits: OfferLimits): readonly Tool[] {
  if (!Array.isArray(given) || !given.every(isJsonObject)) throw malformed('"tools" must be a list of objects.');
  const { offersPerPage: most } = limits;
  if (given.length > most)
    throw new PagewireError(
      "offers-too-many",
      `A page can offer ${most} tools (limit offersPerPage), not ${given.length}.`,
    );
  // A page that declares a tool once more means the later one.
  return [...new Map(given.map((tool) => readTool(tool, limits)).map((tool) => [tool.name, tool])).values()];
}

function readTool(given: JsonObject, { schemaBytes }: OfferLimits): Tool {
  const { name, title, description = "", parameters = {}, annotations } = given;
  if (typeof name !== "string" || !itemNamePattern.test(name)) {
    const shown = JSON.stringify(name ?? null).slice(0, 140);
    throw new PagewireError("name-invalid", `The tool name ${shown} ${itemNameProblem}.`);
  }
  const wrong = (field: string, must: string) => malformed(`The ${field} of the tool "${name}" must be ${must}.`);
  if (typeof description !== "string") throw wrong("description", "text");
  if (!isMissing(title) && typeof title !== "string") throw wrong("title", "text");
  if (!isMissing(annotations) && !isJsonObject(annotations)) throw wrong("annotations", "an object");
  if (!isJsonObject(parameters) || (parameters["type"] ?? "object") !== "object") {
    const message = `The parameters of the tool "${name}" must be a JSON Schema of type object.`;
    throw new PagewireError("schema-invalid", message);
  }
  if (Buffer.byteLength(JSON.stringify(parameters)) > schemaBytes) {
    const message = `The parameters of the tool "${name}" are larger than the limit schemaBytes of ${schemaBytes} bytes.`;
    throw new PagewireError("schema-too-large", message);
  }
  return {
    name,
    description,
    inputSchema: { ...parameters, type: "object" },
    ...(typeof title === "string" && { title }),
    annotations: { readOnlyHint: isJsonObject(annotations) && annotations["readOnlyHint"] === true },
  };
}

function isMissing(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
