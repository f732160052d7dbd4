import { html, byId, show } from "../dom.ts";
import type { Announce } from "../announcer.ts";

const commands = [
  "npx pagewire tools",
  `npx pagewire call get_sales_data '{"days":30}'`,
  `npx pagewire call highlight '{"target":"revenue_chart"}'`,
];

/** Commands that call the page's tools from a terminal; they find the hub on this machine by themselves. */
export function mountCommands(announce: Announce): void {
  show(byId("commands", HTMLElement), ...commands.map((command) => commandBox(command, announce)));
}

/** How long a button shows that it has copied. */
const saidFor = 3000;

/** A text for pasting elsewhere, and a button that copies it and reports whether that worked. */
export function commandBox(command: string, announce: Announce): HTMLElement {
  // Lines are broken between words only: a dash would be a place to break at.
  const words = command.split(" ").flatMap((word) => [" ", html("span", { class: "word" }, word)]);
  const code = html("code", {}, ...words.slice(1));
  const word = html("span", {}, "Copy");
  const about = html("span", { class: "visually-hidden" }, ` ${command}`);
  const problem = html("p", { class: "copy-problem", hidden: true });
  let timer: number | undefined;

  async function copy(): Promise<void> {
    clearTimeout(timer);
    try {
      await navigator.clipboard.writeText(command);
    } catch (error) {
      // If the clipboard is not available, the text is selected, so that one shortcut copies it.
      getSelection()?.selectAllChildren(code);
      return refused(whyNotCopied(error));
    }
    problem.hidden = true;
    word.textContent = "Copied";
    timer = setTimeout(() => (word.textContent = "Copy"), saidFor);
    announce("Copied");
  }

  function refused(why: string): void {
    word.textContent = "Copy";
    problem.textContent = `${why} The text is selected: copy it with your keyboard.`;
    problem.hidden = false;
    announce(problem.textContent);
  }

  const button = html("button", { type: "button", class: "button quiet", onclick: () => void copy() }, word, about);
  return html("div", { class: "command" }, code, button, problem);
}

function whyNotCopied(error: unknown): string {
  if (!isSecureContext) return "Browsers copy only from pages that come by https or from your own machine.";
  if (error instanceof DOMException && error.name === "NotAllowedError") return "The browser refused the clipboard.";
  return `It was not copied: ${String(error)}.`;
}
