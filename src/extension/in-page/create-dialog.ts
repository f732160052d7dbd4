import type { Dialog } from "../../page/index.ts";
import type { AskPerson } from "./ask-person.ts";
import type { GuardedCalls } from "./guard-calls.ts";

/** The page SDK's dialogs, in a window of the extension. */
export function createDialog(
  person: Pick<AskPerson, "ask">,
  calls: Pick<GuardedCalls, "untilStopped" | "allowedOnce">,
): Dialog {
  return {
    async askUser(parameters, signal) {
      const answer = await person.ask({ kind: "fields", parameters }, signal);
      return answer.action === "fields" ? answer.result : { action: "decline" };
    },
    async approve({ tool, title, description = "", destructive = false, callId = "", ...request }, signal) {
      const { agent, arguments: given } = request;
      const asked = { tool, title, description, destructive, agent: agent.name, arguments: given };
      const { action } = await calls.untilStopped({ callId, signal }, (either) =>
        person.ask({ kind: "call", ...asked }, either).catch((error: unknown) => {
          if (either.aborted) return { action: "refuse" } as const;
          throw error;
        }),
      );
      // The hub's rule and the site's setting are one question to the person.
      if (action === "allow") calls.allowedOnce(agent.name, tool, given);
      return { approved: action === "allow", scope: "once" };
    },
  };
}
