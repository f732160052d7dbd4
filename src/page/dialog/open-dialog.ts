// One dialog at a time, in a shadow root of its own: the page's styles do not reach it, and the page's scripts can
// close it but not answer it. It comes up unasked, so whoever was typing or clicking meant the page: until that has
// been over for a moment nothing in it can be used.
import { showInvisible } from "../../wire/index.ts";
import { afterQuiet } from "./after-quiet.ts";
import { dialogShown } from "./dialog-shown.ts";
import { element } from "./element.ts";
import { dialogStyles } from "./styles.ts";

export type Action = "accept" | "decline" | "cancel" | "always";

export interface DialogOptions {
  readonly title: string;
  readonly message: string;
  /** What stands below the message. */
  readonly body: readonly HTMLElement[];
  /** The words on the button that accepts; without them there is nothing to accept. */
  readonly accept?: string;
  readonly decline: string;
  /** The words on a third one, which accepts this and what is like it from now on. */
  readonly always?: string;
  /** More styles, of what stands below the message. */
  readonly styles?: readonly CSSStyleSheet[];
  /** Closes the dialog, as a cancel. */
  readonly signal: AbortSignal;
}

/** Of the realm, because a page may have come by script tag, with a copy of this code of its own. */
const realm: { [key: symbol]: Promise<unknown> | undefined } = globalThis;
const last = Symbol.for("pagewire.dialogs");

/** Shows a dialog once those before it are answered. Accepting needs every field to be valid. */
export function openDialog(options: DialogOptions): Promise<Action> {
  const before = realm[last] ?? Promise.resolve();
  const turn = before.then(() => (options.signal.aborted ? "cancel" : showDialog(options)));
  realm[last] = turn.catch(() => undefined);
  return turn;
}

function showDialog(options: DialogOptions): Promise<Action> {
  const { title, message, body, accept, decline, always, styles = [], signal } = options;
  const heading = element("h2", { id: "title", textContent: showInvisible(title) });
  const words = element("p", { id: "message", textContent: showInvisible(message) });
  const refuse = element("button", { type: "button", textContent: decline });
  const allow = element("button", { type: "submit", textContent: accept ?? "" });
  const allowAll = element("button", { type: "button", textContent: always ?? "" });
  const buttons = element("footer", {});
  const all = element("fieldset", { disabled: true, role: "none" });
  const form = element("form", {});
  const dialog = element("dialog", {});
  const host = document.createElement("pagewire-dialog");
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [dialogStyles(), ...styles];
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.setAttribute("aria-describedby", words.id);
  buttons.append(refuse, ...(always === undefined ? [] : [allowAll]), ...(accept === undefined ? [] : [allow]));
  all.append(heading, words, ...body, buttons);
  form.append(all);
  dialog.append(form);
  root.append(dialog);
  // What is typed here is no shortcut of the page's.
  for (const type of ["keydown", "keypress", "keyup"]) host.addEventListener(type, (event) => event.stopPropagation());
  // Not in the body, which the page may have made inert.
  document.documentElement.append(host);

  return new Promise((resolve) => {
    const settle = (action: Action) => {
      stopWaiting();
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
    const answer = (action: Action) => (event: Event) => {
      // The form is gone by the time it would be submitted, and browsers warn of that.
      event.preventDefault();
      if (event.isTrusted && form.reportValidity()) settle(action);
    };
    allow.addEventListener("click", answer("accept"));
    allowAll.addEventListener("click", answer("always"));
    form.addEventListener("submit", (event) => event.preventDefault());
    dialog.showModal();
    signal.dispatchEvent(new CustomEvent(dialogShown, { detail: title }));
    const stopWaiting = afterQuiet(() => {
      all.disabled = false;
      host.toggleAttribute("ready", true);
      const first = form.querySelector<HTMLElement>("[autofocus]") ?? form.querySelector<HTMLElement>("input, select");
      (first ?? refuse).focus();
    });
  });
}
