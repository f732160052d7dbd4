import { element } from "../../dialog/open-dialog.ts";

export interface EnteredCredential {
  readonly username: string;
  readonly password: string;
  readonly isRemembered: boolean;
}
/** The dialog's fields: an account, its password, and whether to remember both. */
export interface CredentialFields {
  readonly elements: readonly HTMLElement[];
  value(): EnteredCredential;
}

export interface CredentialFieldsOptions {
  /** The account that git asks for; "" if there is only a password. */
  readonly username: string | undefined;
  /** A possible account. */
  readonly suggestion: string | undefined;
}

export function createCredentialFields({ username, suggestion = "" }: CredentialFieldsOptions): CredentialFields {
  const account = element("input", {
    type: "text",
    required: username !== "",
    value: username ?? suggestion,
    // Git accepts any account in the answer, even if the address names another.
    readOnly: username !== undefined,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
  });
  const password = element("input", {
    id: "password",
    type: "password",
    required: true,
    // The password is for git's host, not this page: browsers must neither fill it in nor store it.
    autocomplete: "new-password",
    // While shown it is plain text, which some browsers send to a spell checking server.
    spellcheck: false,
    autocapitalize: "none",
  });
  const remember = createRemember();
  (account.value === "" && username !== "" ? account : password).autofocus = true;
  return {
    elements: [...(username === "" ? [] : [labelled("Username", account)]), passwordRow(password), remember.row],
    value: () => ({ username: account.value, password: password.value, isRemembered: remember.isChecked() }),
  };
}

function labelled(caption: string, control: HTMLElement): HTMLElement {
  const label = element("label", {});
  label.append(element("span", { textContent: caption }), control);
  return label;
}

/** The button is outside the label: its text would become part of the field's accessible name. */
function passwordRow(password: HTMLInputElement): HTMLElement {
  const label = element("label", { htmlFor: password.id });
  label.append(element("span", { textContent: "Password or token" }));
  const row = element("div", { className: "password" });
  row.append(password, showButton(password));
  const field = element("div", {});
  field.append(label, row);
  return field;
}

function showButton(password: HTMLInputElement): HTMLElement {
  const button = element("button", { type: "button", textContent: "Show" });
  button.setAttribute("aria-controls", password.id);
  button.addEventListener("click", ({ isTrusted }) => {
    if (!isTrusted) return;
    const isShown = password.type === "text";
    password.type = isShown ? "password" : "text";
    button.textContent = isShown ? "Show" : "Hide";
  });
  return button;
}

/** Asks whether a credential is remembered. */
export function createRemember(): { readonly row: HTMLElement; isChecked(): boolean } {
  const remember = element("input", { type: "checkbox" });
  const words = element("span", { textContent: "Remember until this page is left" });
  words.append(element("small", { textContent: "Until then, what runs in your terminal gets it without asking." }));
  const label = element("label", { className: "remember" });
  label.append(remember, words);
  return { row: label, isChecked: () => remember.checked };
}
