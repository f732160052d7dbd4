import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Outcome } from "./outcomes.ts";

/** Says in a result's `_meta` that it was given before, to the same key or to the call's twin. */
const replayMark: JsonObject = { "pagewire/replay": true };

/** What a program can act on, where the text of an answer is for a model. */
export function outcomeMarks({ outcome, code, ran, retryAfter, replay }: Outcome): JsonObject {
  return {
    "pagewire/outcome": outcome,
    "pagewire/ran": ran,
    ...(code === undefined ? {} : { "pagewire/code": code }),
    ...(retryAfter === undefined ? {} : { "pagewire/retryAfter": retryAfter }),
    ...(replay ? replayMark : {}),
  };
}

/** A result that says, where it is so, that it was given before. */
export function markReplay(result: JsonObject, replay: boolean | undefined): JsonObject {
  if (!replay) return result;
  const { _meta } = result;
  return { ...result, _meta: { ...(isJsonObject(_meta) ? _meta : {}), ...replayMark } };
}
