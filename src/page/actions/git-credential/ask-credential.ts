import { element } from "../../dialog/element.ts";
import { openDialog } from "../../dialog/open-dialog.ts";
import { quoted } from "../../dialog/quoted.ts";
import type { CredentialRequest } from "./credential-request.ts";
import { createCredentialFields } from "./credential-fields.ts";
import type { EnteredCredential } from "./credential-fields.ts";
import { credentialStyles } from "./credential-styles.ts";
import { hostOf, isReadByOthers, placeOf } from "./where.ts";

export interface AskOptions {
  /** The account whose password was refused just before; "" where it is not known which. */
  readonly refused: string | undefined;
  /** Closes the dialog. */
  readonly signal: AbortSignal;
}

/** Asks a person for a credential; undefined where they refuse. */
export type AskCredential = (request: CredentialRequest, options: AskOptions) => Promise<EnteredCredential | undefined>;

/** Asks in the page's dialog, which says who asks and for what. */
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
  // Git may ask about another account by now.
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
