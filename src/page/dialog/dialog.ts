import type { Approve } from "../../toolbox/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { JsonObject, AskMethod } from "../../wire/index.ts";
import { nobodyAsked } from "../../toolbox/one-tool.ts";

/**
 * The name of a dialog's element, and of the event on a call's signal that announces it, whose detail says so in a sentence:
 * it is prevented for a question that the hub knows. Other dialogs announce themselves, and their end, by it on the window.
 */
export const dialogShown = "pagewire-dialog";

/** Asks the user of the page. */
export interface Dialog {
  /** Asks for the fields of an elicitation; the answer is an elicitation's answer. */
  askUser(parameters: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  readonly approve: Approve;
}

/** Asks the user of the page in place of a tool's caller, as an MCP request; rejects if a page cannot ask that. */
export type AskInPage = (method: AskMethod, parameters: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export function createAskInPage(loadDialog: () => Promise<Dialog>): AskInPage {
  return async (method, parameters, signal) => {
    const lacking = whyNotInPage(method, parameters);
    if (lacking) throw new PagewireError("ask-unsupported", lacking);
    return (await loadDialog().catch(nobodyAsked)).askUser(parameters, signal);
  };
}

function whyNotInPage(method: AskMethod, { mode = "form" }: JsonObject): string | undefined {
  if (method === "sampling/createMessage") return "The calling agent has no model to ask.";
  if (method === "roots/list") return "The calling agent has no roots to list.";
  return mode === "form" ? undefined : "The calling agent cannot ask in this mode, and the page asks with forms only.";
}

/** Asks for approval in the page's own dialog. If that cannot be shown, the answer is a refusal. */
export function createApprove(loadDialog: () => Promise<Dialog>): Approve {
  return async (request, signal) => {
    try {
      return await (await loadDialog()).approve(request, signal);
    } catch (error) {
      reportError(error);
      return { approved: false, scope: "once" };
    }
  };
}
