import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import type { Note } from "../../common/log.ts";

/** The same options, except that errors of the owner's functions are logged in full and reported without details. */
export function hearOwnersFunctions(ai: ResolvedAi, note: Note): ResolvedAi {
  const heard =
    <Value>(option: string, ask: (principal: string) => Value) =>
    (principal: string): Value => {
      try {
        return ask(principal);
      } catch (error) {
        note("error", "ai-option-failed", { option, message: messageOf(error) });
        const message = `The hub's own function for "${option}" failed. Its log says why.`;
        throw new PagewireError("internal-error", message, { cause: error });
      }
    };
  return {
    ...ai,
    systemFor: heard("system", ai.systemFor),
    toolsFor: heard("tools", ai.toolsFor),
    quotaFor: heard("quota", ai.quotaFor),
  };
}
