import { textOfResult } from "../../../ai/index.ts";
import { chunksKey, codeKey, fieldsKey, isJsonObject, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { Json, JsonObject, Outcome } from "../../../wire/index.ts";
import { codeFromPage, failureOfOutcome } from "./failure.ts";
import type { Failure } from "./failure.ts";

/** How a call ended, for the program that made it: with fields of its answer, or not well. */
export type DelegateEnd =
  | {
      readonly fields: JsonObject;
      /** How many pieces the page says that it sent before. */
      readonly pieces: number;
    }
  | { readonly failure: Failure };

/** What a page cannot say of its own answer: these are the door's. */
const ownFields = ["cmd", "id", "type", "detail", "code", "outcome", "ran", "message", "replay"];

/**
 * Reads what the page answered, and makes an answer of our own of it: no part of the page's text is sent as it came, so
 * that none can be taken for another field than the one that it is put into.
 */
export function readEnd(action: string, ended: Outcome, jsonDepth: number): DelegateEnd {
  const { payload, ran, replay } = ended;
  if (payload === undefined) return { failure: failureOfOutcome(action, ended) };
  const failed = (outcome: Partial<Outcome>) => ({
    failure: failureOfOutcome(action, { outcome: "tool-error", ran, replay, ...outcome }),
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
  return { fields: replay ? { ...fields, replay } : fields, pieces: Number.isInteger(pieces) ? Number(pieces) : 0 };
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
