import { make, makeButton } from "./make.ts";

/** A command to be run in a terminal elsewhere, with a button that copies it. */
export function createCommandLine(command: string, copy: (text: string) => Promise<boolean>): HTMLElement {
  const code = make("code", {}, command);
  const button = makeButton("Copy", () => {
    void copy(command).then((isCopied) => {
      button.textContent = isCopied ? "Copied" : "Copy it by hand";
    });
  });
  button.ariaLive = "polite";
  return make("div", { className: "command" }, code, button);
}
