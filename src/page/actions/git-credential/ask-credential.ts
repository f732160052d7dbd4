import { element, openDialog, quoted } from "../../dialog/open-dialog.ts";
import { hostOf, isReadByOthers, placeOf } from "./credential-request.ts";
import type { CredentialRequest } from "./credential-request.ts";
import { createCredentialFields } from "./credential-fields.ts";
import type { EnteredCredential } from "./credential-fields.ts";

let sheet: CSSStyleSheet | undefined;

/** Styles that only this dialog needs. */
export function credentialStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    dl {
      margin: 1rem 0; display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; padding: 0.75rem; border-radius: 8px;
      background: color-mix(in srgb, CanvasText 7%, Canvas); font-size: 14px;
    }
    dt { opacity: 0.75; }
    dd { margin: 0; font-family: ui-monospace, monospace; font-size: 13px; line-height: 21px; max-height: 63px; overflow: auto; overflow-wrap: anywhere; white-space: pre-wrap; }
    .warning { margin-bottom: 0.5rem; padding: 0.6rem 0.75rem; border-left: 4px solid #d97706; border-radius: 4px; background: color-mix(in srgb, #d97706 14%, Canvas); }
    .password { display: grid; grid-template-columns: 1fr auto; gap: 0.5rem; margin: 0 0 1rem; }
    [for="password"] { margin-bottom: 0.25rem; }
    .remember { grid-template-columns: auto 1fr; gap: 0.1rem 0.6rem; align-items: start; }
    .remember span { font-weight: normal; }
    .remember input { margin: 0.15rem 0 0; }
    .remember small { display: block; }
  `);
  return sheet;
}

export interface AskOptions {
  /** The account whose password was just refused; "" if unknown. */
  readonly refused: string | undefined;
  /** Closes the dialog. */
  readonly signal: AbortSignal;
}

/** Asks the user for a credential; undefined if they refuse. */
export type AskCredential = (request: CredentialRequest, options: AskOptions) => Promise<EnteredCredential | undefined>;

/** Asks in the page's dialog, which shows the requester and the purpose. */
export const askCredential: AskCredential = async (request, { refused, signal }) => {
  const { target } = request;
  const { username } = target;
  const fields = createCredentialFields({ username, suggestion: refused || undefined });
  const action = await openDialog({
    title: `Sign in to ${hostOf(target)}`,
    message: `Git needs ${username === "" ? "a password" : "a username and a password"} for a command in your terminal.`,
    body: [...warningsFor(request, refused), factsOf(request), ...fields.elements],
    accept: "Sign in",
    decline: "Cancel",
    styles: [credentialStyles()],
    signal,
  });
  return action === "accept" ? fields.value() : undefined;
};

function warningsFor({ target }: CredentialRequest, refused: string | undefined): readonly HTMLElement[] {
  const warnings: string[] = [];
  // Git may ask about another account now.
  if (refused !== undefined && (target.username ?? refused) === refused) {
    warnings.push(refused ? `The last password for ${quoted(refused)} was refused.` : "The last password was refused.");
  }
  if (isReadByOthers(target)) warnings.push("This connection is not encrypted: others on the network can read it.");
  return warnings.map((textContent) => element("p", { className: "warning", textContent }));
}

function factsOf({ target, repository, command }: CredentialRequest): HTMLElement {
  const list = element("dl", {});
  for (const [name, value] of [
    ["For", placeOf(target)],
    ["Repository", repository],
    ["Command", command],
  ]) {
    if (value) list.append(element("dt", { textContent: name ?? "" }), element("dd", { textContent: value }));
  }
  return list;
}
