// The elements that show the state of a view: a panel in place of the screen while there is no terminal, with the sign-in
// form or an error; and a banner above a terminal that is reconnecting or ended.
import type { TerminalState } from "../session/terminal-view.ts";
import { make, makeButton } from "./make.ts";

export interface PanelParts {
  /** The command that prints a code for this page. */
  readonly codeCommand: string;
  copy(text: string): Promise<boolean>;
  onCode(code: string): void;
  onRetry(): void;
}

export interface Panel {
  readonly element: HTMLElement;
  /** Renders a state; returns whether there is anything to show. */
  draw(state: TerminalState, isBlank: boolean): boolean;
  focus(): void;
}

export function createPanel(parts: PanelParts): Panel {
  const element = make("div", { className: "panel", hidden: true });
  let drawn = "";
  return {
    element,
    draw(state, isBlank) {
      const text = JSON.stringify([state, isBlank]);
      if (text !== drawn) {
        drawn = text;
        element.replaceChildren(...contentOf(state, isBlank, parts));
        element.hidden = element.childElementCount === 0;
      }
      return !element.hidden;
    },
    focus: () => element.querySelector<HTMLElement>("input, .strong")?.focus(),
  };
}

function contentOf(state: TerminalState, isBlank: boolean, parts: PanelParts): readonly HTMLElement[] {
  const { status, message } = state;
  if (status === "signed-out") return [signInForm(state, parts)];
  const again = makeButton("Try again", parts.onRetry, "strong");
  if (status === "refused" || status === "unavailable") {
    const title = status === "refused" ? "The hub refuses this terminal" : "No terminal can be had here";
    const command = state.command !== undefined && createCommandLine(state.command, parts.copy);
    return [make("div", { className: "card" }, make("h2", {}, title), says(message), command, again)];
  }
  // Earlier output stays visible, with a banner above it.
  if (!isBlank) return [];
  if (status === "connecting") return [make("p", { className: "quiet", role: "status" }, message)];
  if (status !== "reconnecting") return [];
  return [make("div", { className: "card" }, make("h2", {}, "No connection"), says(message), again)];
}

function says(message: string): HTMLElement {
  return make("p", { role: "alert" }, message);
}

function signInForm(
  { message, code }: Extract<TerminalState, { status: "signed-out" }>,
  parts: PanelParts,
): HTMLElement {
  const problem = make("p", { className: "problem", role: "alert", id: "problem" });
  if (code !== undefined && code !== "token-required") problem.textContent = message;
  const field = make("input", { id: "code", type: "text", autocomplete: "off", spellcheck: false, required: true });
  field.setAttribute("aria-describedby", problem.id);
  const row = make("div", { className: "row" }, field, make("button", { type: "submit", className: "strong" }, "Open"));
  const form = make(
    "form",
    { className: "card" },
    make("h2", {}, "Open a terminal"),
    make("p", {}, "A terminal can do whatever you can do at its computer. There, run:"),
    createCommandLine(parts.codeCommand, parts.copy),
    make("label", { htmlFor: field.id }, "and paste the code that it shows:"),
    row,
    problem,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = parseCode(field.value);
    if (given !== undefined) return parts.onCode(given);
    problem.textContent = "This is no code. Copy the whole of what the command shows.";
    field.select();
  });
  return form;
}

/** A command to be run in a terminal elsewhere, with a button that copies it. */
function createCommandLine(command: string, copy: (text: string) => Promise<boolean>): HTMLElement {
  const code = make("code", {}, command);
  const button = makeButton("Copy", () => {
    void copy(command).then((isCopied) => {
      button.textContent = isCopied ? "Copied" : "Copy it by hand";
    });
  });
  button.ariaLive = "polite";
  return make("div", { className: "command" }, code, button);
}

/** Parses a pasted code, or a link that contains one; undefined if it is neither. */
export function parseCode(text: string): string | undefined {
  const code = text.trim().replace(/^.*#code=/, "");
  return /^[\w.~-]{8,8192}$/.test(code) ? code : undefined;
}

export interface BannerParts {
  onRetry(): void;
  onDiscard(): void;
}

export interface Banner {
  readonly element: HTMLElement;
  draw(state: TerminalState, waiting: number): void;
}

export function createBanner({ onRetry, onDiscard }: BannerParts): Banner {
  const message = make("p", { role: "status" });
  const pending = make("p", { role: "status" });
  const retry = makeButton("", onRetry, "strong");
  const discard = makeButton("Do not send it", onDiscard);
  const element = make(
    "div",
    { className: "banner", hidden: true },
    message,
    pending,
    make("div", { className: "row" }, retry, discard),
  );

  return {
    element,
    draw(state, waiting) {
      const isAway = state.status === "reconnecting";
      element.hidden = !isAway && state.status !== "ended" && waiting === 0;
      if (element.hidden) return;
      setText(message, state.status === "ended" ? `${state.message} Press Enter to start a new one.` : state.message);
      setText(pending, waiting === 0 ? "" : waitingText(waiting));
      retry.hidden = !isAway && state.status !== "ended";
      retry.textContent = isAway ? "Try now" : "New terminal";
      discard.hidden = waiting === 0;
    },
  };
}

/** Changes only what differs, because screen readers announce each change. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function waitingText(waiting: number): string {
  return `${waiting === 1 ? "1 character" : `${waiting} characters`} that you typed will be sent then.`;
}
