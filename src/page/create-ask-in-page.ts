import { nobodyAsked } from "../toolbox/one-tool.ts";
import { PagewireError } from "../wire/index.ts";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { Dialog } from "./dialog/dialog.ts";

/** Asks the person in front of the page what a tool asks its caller, in MCP's form; rejects where a page cannot ask that. */
export type AskInPage = (method: AskMethod, parameters: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Asks in the page's own dialog. */
export function createAskInPage(loadDialog: () => Promise<Dialog>): AskInPage {
  return async (method, parameters, signal) => {
    const lacking = whyNotInPage(method, parameters);
    if (lacking) throw new PagewireError("ask-unsupported", lacking);
    return (await loadDialog().catch(nobodyAsked)).askUser(parameters, signal);
  };
}

/** What keeps the page's own dialog from asking this. */
function whyNotInPage(method: AskMethod, { mode = "form" }: JsonObject): string | undefined {
  if (method === "sampling/createMessage") return "The calling agent has no model to ask.";
  if (method === "roots/list") return "The calling agent has no roots to list.";
  return mode === "form" ? undefined : "The calling agent cannot ask in this mode, and the page asks with forms only.";
}
