// What stands in the place of the screen while there is no terminal to show: how to sign in, and what is in the way.
import type { TerminalState } from "../terminal-view.ts";
import { createCommandLine } from "./command-line.ts";
import { make, makeButton } from "./make.ts";
import { parseCode } from "./parse-code.ts";

export interface PanelParts {
  /** What shows a code for pages like this one. */
  readonly codeCommand: string;
  copy(text: string): Promise<boolean>;
  onCode(code: string): void;
  onRetry(): void;
}

export interface Panel {
  readonly element: HTMLElement;
  /** Shows what this state has to say; says whether it has anything. */
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
  // Over what was printed before there is a banner instead.
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
