import type { CallInput } from "../toolbox/index.ts";
import { isJsonObject, parseJsonObject } from "../wire/index.ts";
import type { FrameToPage, JsonObject } from "../wire/index.ts";

/** What a call brings along. */
export interface CallPayload {
  readonly given: JsonObject;
  /** What the caller answered, where the call comes again. */
  readonly input?: CallInput;
}

/** Reads a call's payload; undefined where it is malformed or nests too deeply. */
export function parseCallPayload(
  { input: hasInput }: Extract<FrameToPage, { type: "call" }>,
  payload: string,
  deepest: number,
): CallPayload | undefined {
  if (!hasInput) {
    const given = payload ? parseJsonObject(payload, deepest) : {};
    return given && { given };
  }
  // The arguments may nest as deeply as they may alone.
  const { arguments: given, inputResponses = {}, requestState } = parseJsonObject(payload, deepest + 1) ?? {};
  if (!isJsonObject(given) || !isJsonObject(inputResponses)) return undefined;
  if (requestState === undefined) return { given, input: { responses: inputResponses } };
  return typeof requestState === "string"
    ? { given, input: { responses: inputResponses, state: requestState } }
    : undefined;
}
