// One dialog at a time, in a shadow root of its own: the page's styles do not reach it, and the page's scripts can
// close it but not answer it.
import { dialogStyles } from "./styles.ts";

export type Action = "accept" | "decline" | "cancel";

export interface DialogOptions {
  readonly title: string;
  readonly message: string;
  /** What stands below the message. */
  readonly body: readonly HTMLElement[];
  /** The words on the two buttons. */
  readonly accept: string;
  readonly decline: string;
  /** Closes the dialog, as a cancel. */
  readonly signal: AbortSignal;
}

let last: Promise<unknown> = Promise.resolve();

/** Shows a dialog once those before it are answered. Accepting needs every field to be valid. */
export function openDialog(options: DialogOptions): Promise<Action> {
  const turn = last.then(() => (options.signal.aborted ? "cancel" : showDialog(options)));
  last = turn.catch(() => undefined);
  return turn;
}

function showDialog({ title, message, body, accept, decline, signal }: DialogOptions): Promise<Action> {
  const heading = element("h2", { id: "title", textContent: title });
  const words = element("p", { id: "message", textContent: message });
  const refuse = element("button", { type: "button", textContent: decline });
  const allow = element("button", { type: "submit", textContent: accept });
  const buttons = element("footer", {});
  const form = element("form", {});
  const dialog = element("dialog", {});
  const host = document.createElement("pagewire-dialog");
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [dialogStyles()];
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.setAttribute("aria-describedby", words.id);
  buttons.append(refuse, allow);
  form.append(heading, words, ...body, buttons);
  dialog.append(form);
  root.append(dialog);
  // Not in the body, which the page may have made inert.
  document.documentElement.append(host);

  return new Promise((resolve) => {
    const settle = (action: Action) => {
      signal.removeEventListener("abort", cancel);
      // Closing gives the focus back; removing alone would not.
      dialog.close();
      host.remove();
      resolve(action);
    };
    const cancel = () => settle("cancel");
    signal.addEventListener("abort", cancel);
    dialog.addEventListener("close", cancel);
    refuse.addEventListener("click", ({ isTrusted }) => isTrusted && settle("decline"));
    // A script can make a form be submitted, but not a click that the browser vouches for.
    allow.addEventListener("click", ({ isTrusted }) => isTrusted && form.reportValidity() && settle("accept"));
    form.addEventListener("submit", (event) => event.preventDefault());
    dialog.showModal();
    (form.querySelector<HTMLElement>("input, select") ?? refuse).focus();
  });
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
