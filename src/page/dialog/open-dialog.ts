// Shows one dialog at a time, in a closed shadow root: the page's styles do not reach it, and the page's scripts can
// close it but not answer it. It opens unexpectedly, so keys and clicks may still be meant for the page: the dialog
// stays disabled until input has paused.
import { showInvisible } from "../../wire/index.ts";
import { dialogShown } from "./dialog.ts";

const longest = 60;

/** Quotes a name from outside, on one line and truncated, so that it cannot pass for the dialog's own text. */
export function quoted(name: string): string {
  const characters = Array.from(
    name
      .replaceAll(/\s+/g, " ")
      .replaceAll(/["“”„‟«»]/g, "'")
      .trim(),
  );
  return `“${characters.length > longest ? `${characters.slice(0, longest).join("")}…` : characters.join("")}”`;
}

let sheet: CSSStyleSheet | undefined;

/** The dialog's look: the system's colours and font, so that it suits light and dark pages alike. */
function dialogStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; }
    dialog {
      color-scheme: light dark; box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem);
      padding: 1.5rem; border: 1px solid color-mix(in srgb, CanvasText 18%, Canvas); border-radius: 14px;
      background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; box-shadow: 0 24px 64px rgb(0 0 0 / 0.35);
    }
    dialog::backdrop { background: rgb(10 12 20 / 0.5); }
    fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
    h2 { margin: 0 0 0.75rem; font-size: 1.15rem; line-height: 1.3; overflow-wrap: anywhere; }
    p { margin: 0 0 1rem; overflow-wrap: anywhere; white-space: pre-line; }
    pre {
      margin: 0 0 1rem; padding: 0.75rem; max-height: 16rem; overflow: auto; border-radius: 8px;
      background: color-mix(in srgb, CanvasText 7%, Canvas); font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
    }
    label { display: grid; gap: 0.25rem; margin: 0 0 1rem; }
    span { font-weight: 600; }
    small { opacity: 0.75; }
    input, select { box-sizing: border-box; width: 100%; padding: 0.5rem 0.6rem; border: 1px solid color-mix(in srgb, CanvasText 35%, Canvas); border-radius: 8px; background: Field; color: FieldText; font: inherit; }
    input[type="checkbox"] { width: 1.25rem; height: 1.25rem; }
    footer { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0.75rem; margin-top: 1.25rem; }
    button { padding: 0.55rem 1.1rem; border: 1px solid color-mix(in srgb, CanvasText 30%, Canvas); border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
    button[type="submit"] { border-color: transparent; background: #2452d8; color: #fff; font-weight: 600; }
    button:disabled { opacity: 0.5; cursor: default; }
    :focus-visible { outline: 3px solid #6b8cff; outline-offset: 2px; }
  `);
  return sheet;
}

/** Longer than the pause between two keystrokes, or the two clicks of a double click. */
const quietTime = 500;

/**
 * Runs a callback once no key was pressed for a moment, and swallows keys until then. Returns a function that cancels
 * it.
 */
function afterQuiet(run: () => void): () => void {
  let timer = setTimeout(finish, quietTime);
  const stop = () => {
    clearTimeout(timer);
    removeEventListener("keydown", hold, { capture: true });
  };

  function finish(): void {
    stop();
    run();
  }

  function hold(event: KeyboardEvent): void {
    if (!event.isTrusted) return;
    event.preventDefault();
    clearTimeout(timer);
    timer = setTimeout(finish, quietTime);
  }

  addEventListener("keydown", hold, { capture: true });
  return stop;
}

export type Action = "accept" | "decline" | "cancel" | "always";

export interface DialogOptions {
  readonly title: string;
  readonly message: string;
  /** The content below the message. */
  readonly body: readonly HTMLElement[];
  /** The label of the accept button; without it there is none. */
  readonly accept?: string;
  readonly decline: string;
  /** The label of a third button, which also accepts future requests of this kind. */
  readonly always?: string;
  /** Additional styles for the content below the message. */
  readonly styles?: readonly CSSStyleSheet[];
  /** Closes the dialog, as a cancel. */
  readonly signal: AbortSignal;
}

/** Shared through globalThis: the script tag and a package may both have loaded this code. */
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
  // Keys typed here must not trigger the page's shortcuts.
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
    // Scripts can submit a form, but cannot fake a trusted click.
    const answer = (action: Action) => (event: Event) => {
      // The form is removed before it would be submitted, and browsers warn about that.
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

/** Makes an element with these properties. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
