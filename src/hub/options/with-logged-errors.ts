// The functions among the owner's options for a model, whose errors may name what is the owner's alone: paths, accounts, hosts.
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { ResolvedAi } from "./ai-options.ts";

/** The same options, except that errors of the owner's functions are logged in full and reported without details. */
export function withLoggedErrors(ai: ResolvedAi, note: Note): ResolvedAi {
  function logged<Given, Value>(option: string, ask: (given: Given) => Value): (given: Given) => Value {
    const fail = (error: unknown): never => {
      note("error", "ai-option-failed", { option, message: messageOf(error) });
      const message = `The hub's own function for "${option}" failed. Its log says why.`;
      throw new PagewireError("internal-error", message, { cause: error });
    };
    return (given) => {
      try {
        const value = ask(given);
        return value instanceof Promise ? (value.catch(fail) as Value) : value;
      } catch (error) {
        return fail(error);
      }
    };
  }
  return {
    ...ai,
    systemFor: logged("system", ai.systemFor),
    toolsFor: logged("tools", ai.toolsFor),
    quotaFor: logged("quota", ai.quotaFor),
    fixedFor(baseUrl) {
      const { getApiKey, ...fixed } = ai.fixedFor(baseUrl);
      return getApiKey ? { ...fixed, getApiKey: logged("getApiKey", getApiKey) } : fixed;
    },
  };
}
