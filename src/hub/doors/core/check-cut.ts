import { isDeepStrictEqual } from "node:util";
import type { AiMessage } from "../../../ai/index.ts";
import { PagewireError } from "../../../wire/index.ts";

/** Refuses any history that is not a prefix of the server's own (possibly empty or complete). */
export function checkCut(given: unknown, own: readonly AiMessage[]): asserts given is AiMessage[] {
  if (!Array.isArray(given)) throw refused("The messages must be a list.");
  const messages: readonly unknown[] = given;
  if (messages.length > own.length) throw refused(`There are ${own.length} messages, not ${messages.length}.`);
  const other = messages.findIndex((message, at) => !isDeepStrictEqual(message, plain(own[at])));
  if (other >= 0) throw refused(`Message ${other} is another one here.`);
}

/** The value as JSON, for comparison. */
function plain(message: AiMessage | undefined): unknown {
  return JSON.parse(JSON.stringify(message));
}

function refused(why: string): PagewireError {
  const message = `The history is the server's: it can be cut back to its first messages, or emptied, but not written. ${why}`;
  return new PagewireError("option-refused", message);
}
