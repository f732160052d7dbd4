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

/** The dialog's look: the values of apps/common/styles/tokens.css, for light and dark pages alike. */
function dialogStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; }
    dialog {
      color-scheme: light dark; box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem);
      padding: 1.5rem; border: 1px solid light-dark(#dde1e7, #2e333b); border-radius: 10px;
      background: light-dark(#fff, #181b1f); color: light-dark(#1a1d23, #e9ebee); font: 15px/1.5 "Segoe UI Variable Text", "Segoe UI", -apple-system, BlinkMacSystemFont, "Helvetica Neue", Roboto, "Liberation Sans", Arial, system-ui, sans-serif; box-shadow: 0 24px 64px rgb(0 0 0 / 0.35);
    }
    dialog::backdrop { background: rgb(10 12 20 / 0.5); }
    dialog.note { position: fixed; z-index: 2147483647; inset: auto 1rem 1rem auto; width: auto; margin: 0; padding: 0.75rem 1rem; }
    fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
    h2 { margin: 0 0 0.75rem; font-size: 1.15rem; line-height: 1.3; overflow-wrap: anywhere; }
    p { margin: 0 0 1rem; overflow-wrap: anywhere; white-space: pre-line; }
    pre {
      margin: 0 0 1rem; padding: 0.75rem; max-height: 16rem; overflow: auto; border-radius: 8px;
      background: light-dark(#eef0f4, #23272d); font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
    }
    label { display: grid; gap: 0.25rem; margin: 0 0 1rem; }
    span { font-weight: 600; }
    small { color: light-dark(#5a616d, #a3aab5); }
    input, select { box-sizing: border-box; width: 100%; padding: 0.5rem 0.6rem; border: 1px solid light-dark(#7f8793, #737b87); border-radius: 8px; background: inherit; color: inherit; font: inherit; }
    input[type="checkbox"] { width: 1.25rem; height: 1.25rem; }
    footer { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0.75rem; margin-top: 1.25rem; }
    button { padding: 0.55rem 1.1rem; border: 1px solid light-dark(#7f8793, #737b87); border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
    button[type="submit"] { border-color: transparent; background: light-dark(#3451c6, #9db1ff); color: light-dark(#fff, #10162e); font-weight: 600; }
    button[type="submit"].danger { background: light-dark(#b3261e, #ff9890); }
    button:disabled { opacity: 0.5; cursor: default; }
    :focus-visible { outline: 2px solid light-dark(#3451c6, #9db1ff); outline-offset: 2px; }
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
  /** The question as the call's log and the hub's inbox show it; the title by default. */
  readonly about?: string | undefined;
  /** The content below the message. */
  readonly body: readonly HTMLElement[];
  /** The label of the accept button; without it there is none. */
  readonly accept?: string;
  /** Accepting may destroy something: the button is red. */
  readonly isDangerous?: boolean;
  readonly decline: string;
  /** The label of a third button, which also accepts future requests of this kind. */
  readonly always?: string;
  /** Additional styles for the content below the message. */
  readonly styles?: readonly CSSStyleSheet[];
  /** Closes the dialog, as a cancel. A reason that is a text is shown for a moment: it was answered elsewhere. */
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
  const { title, message, about = title, body, accept, isDangerous, decline, always, styles = [], signal } = options;
  const heading = element("h2", { id: "title", textContent: showInvisible(title) });
  const words = element("p", { id: "message", textContent: showInvisible(message) });
  const refuse = element("button", { type: "button", textContent: decline });
  const allow = element("button", {
    type: "submit",
    textContent: accept ?? "",
    className: isDangerous ? "danger" : "",
  });
  const allowAll = element("button", { type: "button", textContent: always ?? "" });
  const buttons = element("footer", {});
  const all = element("fieldset", { disabled: true, role: "none" });
  const form = element("form", {});
  const dialog = element("dialog", {});
  const host = document.createElement(dialogShown);
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
      signal.removeEventListener("abort", abort);
      // Closing gives the focus back; removing alone would not.
      dialog.close();
      host.remove();
      dispatchEvent(new Event(dialogShown));
      resolve(action);
    };
    const cancel = () => settle("cancel");
    const abort = () => {
      cancel();
      const { reason } = signal as { readonly reason: unknown };
      if (typeof reason === "string") showNote(reason);
    };
    signal.addEventListener("abort", abort);
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
    announce(host, about.slice(0, longestAbout), signal);
    const stopWaiting = afterQuiet(() => {
      all.disabled = false;
      host.toggleAttribute("ready", true);
      const first = form.querySelector<HTMLElement>("[autofocus]") ?? form.querySelector<HTMLElement>("input, select");
      (first ?? refuse).focus();
    });
  });
}

/** Max characters of a dialog's announcement. */
const longestAbout = 200;

/** Reports it to its call, if any, and to the hub, unless the hub knows it as a question of the call. */
function announce(host: HTMLElement, dialog: string, signal: AbortSignal): void {
  const detail = `The page waits for its user: ${dialog}`;
  if (!signal.dispatchEvent(new CustomEvent(dialogShown, { detail, cancelable: true }))) return;
  Object.assign(host, { dialog });
  dispatchEvent(new Event(dialogShown));
}

/** How long a note stays, in milliseconds. */
const noteTime = 6000;

/** Shows for a moment the answer of a dialog that was answered elsewhere. */
function showNote(text: string): void {
  const host = document.createElement("pagewire-note");
  const root = host.attachShadow({ mode: "closed" });
  const note = element("dialog", { textContent: showInvisible(text), role: "status", className: "note" });
  root.adoptedStyleSheets = [dialogStyles()];
  root.append(note);
  document.documentElement.append(host);
  // Not modal: the page goes on. It takes no focus either.
  note.open = true;
  setTimeout(() => host.remove(), noteTime);
}

/** Makes an element with these properties. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
