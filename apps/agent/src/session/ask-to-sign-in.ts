import type { PagewireError } from "pagewire/wire";
import { createCommandLine } from "../command-line.ts";
import { html, icon, show } from "../../../common/src/dom.ts";
import { icons } from "../icons.ts";
import { parseCode } from "../../../common/src/sign-in-code.ts";

export interface SignInParts {
  readonly root: HTMLElement;
  /** Why one has to. */
  readonly problem: PagewireError;
  /** Whether this is a frame of another page, which has its own storage. */
  readonly isFramed: boolean;
  /** Calls back when another tab signed in or out; returns a function that stops it. */
  onElsewhere(listener: (token: string | undefined) => void): () => void;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Shows how to sign in, until there is a code to do it with, or with undefined a reason to try without one. */
export function askToSignIn(parts: SignInParts): Promise<string | undefined> {
  const { root, problem, isFramed, onElsewhere, signal } = parts;
  return new Promise((finish) => {
    signal.addEventListener(
      "abort",
      onElsewhere((token) => token !== undefined && finish(undefined)),
    );
    const isDown = problem.code === "hub-unreachable";
    const again = { type: "button", class: "button strong", onclick: () => finish(undefined) };
    show(
      root,
      html(
        "main",
        { class: "sign-in" },
        html("p", { class: "brand" }, icon(icons.mark), "Pagewire"),
        html("h1", {}, isDown ? "The hub does not answer" : "Sign in"),
        html("p", { class: "why", role: "alert" }, problem.message),
        isDown ? html("button", again, "Try again") : html("div", {}, ...steps(finish)),
        isFramed && !isDown && framed(),
      ),
    );
    root.querySelector<HTMLElement>("input, .sign-in button.strong")?.focus();
  });
}

function steps(finish: (code: string) => void): readonly HTMLElement[] {
  const problem = html("p", { class: "problem", role: "alert", id: "code-problem" });
  const field = html("input", {
    id: "code",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "code-problem",
  });
  function submit(event: Event): void {
    event.preventDefault();
    const code = parseCode(field.value);
    if (code !== undefined) return finish(code);
    problem.textContent =
      "That is neither a code nor a link that holds one. Copy the whole link that pagewire open shows.";
    field.select();
  }
  const { where, command } = signInCommand(location.origin);
  return [
    html("p", {}, where),
    createCommandLine(command),
    html("p", { class: "hint" }, "It opens a window like this one, signed in. Or paste its link here:"),
    html(
      "form",
      { class: "code-form", onsubmit: submit },
      html("label", { for: "code" }, "Link or code"),
      html("div", { class: "code-row" }, field, html("button", { type: "submit", class: "button strong" }, "Sign in")),
      problem,
    ),
  ];
}

function framed(): HTMLElement {
  const link = { class: "button", href: location.pathname, target: "_blank", rel: "noopener" };
  return html(
    "div",
    { class: "notice info" },
    html(
      "p",
      {},
      "This assistant is inside another page, where browsers keep a separate storage: a sign-in of the hub's own window does not count here. Paste a link above, or use the assistant in a window of its own.",
    ),
    html("a", link, icon(icons.out), "Open in a window of its own"),
  );
}

interface SignInCommand {
  readonly where: string;
  readonly command: string;
}

/**
 * The sign-in address of an origin's hub, and the command for it: most users of a remote hub have no terminal there.
 */
export function signInCommand(origin: string): SignInCommand {
  const { hostname } = new URL(origin);
  const isHere = hostname === "[::1]" || /^(127(\.\d+){3}|(.+\.)?localhost)$/.test(hostname);
  if (isHere) return { where: "In a terminal on the hub's machine:", command: "npx pagewire open" };
  const command = `PAGEWIRE_URL=${origin} PAGEWIRE_TOKEN=<token> npx pagewire open`;
  return { where: "In a terminal, with a token for your agents from whoever runs this hub:", command };
}
