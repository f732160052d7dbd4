import { textOfResult } from "../../../ai/index.ts";
import {
  chunksKey,
  codeKey,
  fieldsKey,
  isJsonObject,
  isPlainEnd,
  parseJsonObject,
  textOf,
} from "../../../wire/index.ts";
import type { Json, JsonObject, Outcome, Payload } from "../../../wire/index.ts";
import { membersOf } from "./compact-json.ts";
import { codeFromPage, failureOfOutcome } from "./failure.ts";
import type { Failure } from "./failure.ts";

/** A call's result for its program: the fields of the answer, or a failure. */
export type DelegateEnd =
  | {
      readonly fields: JsonObject;
      /** The number of chunks that the page claims to have sent. */
      readonly pieces: number;
    }
  | { readonly failure: Failure };

/**
 * The answer to a plain result, in parts; undefined if the result must be parsed. Its large parts are embedded unread,
 * each only after a check that it is exactly one JSON value.
 */
export function spliceEnd(
  { outcome, payload = "", ...end }: Outcome,
  id: string,
  jsonDepth: number,
): readonly Payload[] | undefined {
  if (outcome !== "ok" || !isPlainEnd(end)) return undefined;
  const members = membersOf(typeof payload === "string" ? Buffer.from(payload) : payload, jsonDepth);
  const [content, structured] = [members?.get("content"), members?.get("structuredContent")];
  if (!content || members?.size !== (structured ? 2 : 1)) return undefined;
  const blocks = JSON.parse(textOf(content)) as Json;
  if (!Array.isArray(blocks) || blocks.length === 0) return undefined;
  const start = { cmd: "browser_response", id, status: "ok", result: textOfResult({ content: blocks }) };
  return [
    JSON.stringify(start).slice(0, -1),
    ...(structured ? [',"structured":', structured] : []),
    ...(blocks.every(isText) ? [] : [',"content":', content]),
    "}",
  ];
}

/** Fields that only the door may set. */
const ownFields = ["cmd", "id", "type", "detail", "code", "outcome", "ran", "message", "replay", "notSaved"];

/**
 * Parses the page's answer, and builds our own from it. None of the page's text is sent unparsed, so it cannot be
 * mistaken for any other field.
 */
export function readEnd(action: string, ended: Outcome, jsonDepth: number): DelegateEnd {
  const { payload, ran, replay, notSaved } = ended;
  const flags = { ...(replay ? { replay } : {}), ...(notSaved ? { notSaved } : {}) };
  if (payload === undefined) return { failure: failureOfOutcome(action, ended) };
  const failed = (outcome: Partial<Outcome>) => ({
    failure: failureOfOutcome(action, { outcome: "tool-error", ran, ...flags, ...outcome }),
  });
  const result = parseJsonObject(textOf(payload), jsonDepth);
  if (!result) return failed({ code: "output-invalid", message: "The page's answer cannot be read." });
  const marks = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  if (ended.outcome === "tool-error" || result["isError"] === true) {
    const message = textOfResult(result) || "The action failed without a word.";
    return failed({ code: codeFromPage(marks[codeKey]), message });
  }
  const { structuredContent: structured } = result;
  const { [chunksKey]: pieces } = marks;
  const fields = marks[fieldsKey] === true && isJsonObject(structured) ? fieldsOf(structured) : textFields(result);
  return { fields: { ...fields, ...flags }, pieces: Number.isInteger(pieces) ? Number(pieces) : 0 };
}

function fieldsOf(structured: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(structured).filter(([name]) => !ownFields.includes(name)));
}

function textFields(result: JsonObject): JsonObject {
  const { content, structuredContent: structured } = result;
  return {
    status: "ok",
    result: textOfResult(result),
    ...(structured === undefined ? {} : { structured }),
    ...(Array.isArray(content) && content.some((block) => !isText(block)) ? { content } : {}),
  };
}

function isText(block: Json): boolean {
  return isJsonObject(block) && block["type"] === "text";
}
