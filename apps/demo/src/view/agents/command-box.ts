import { html } from "../dom.ts";
import type { Announce } from "../announcer.ts";

/** A command, and a button that copies it. */
export function commandBox(command: string, announce: Announce): HTMLElement {
  const code = html("code", {}, command);
  const button = html("button", { type: "button", class: "button quiet", onclick: copy }, "Copy");
  button.setAttribute("aria-label", `Copy ${command}`);

  function copy(): void {
    navigator.clipboard.writeText(command).then(
      () => {
        button.textContent = "Copied";
        announce("Copied");
      },
      () => {
        // Where the clipboard is out of reach the text is selected, one keystroke from being copied.
        getSelection()?.selectAllChildren(code);
        announce("The command is selected: copy it with your keyboard");
      },
    );
  }

  return html("div", { class: "command" }, code, button);
}
