import { createCodeBox } from "../code-box.ts";
import { createCommandLine } from "../command-line.ts";
import { html } from "../../../common/src/dom.ts";
import { clientCommands, importSnippet, scriptSnippet } from "./snippets.ts";

/** How a page comes in, and how a client does. */
export function createHowToConnect(origin: string): readonly HTMLElement[] {
  return [
    fold("Connect a page", [
      html("p", { class: "hint" }, "With a script tag:"),
      createCodeBox("html", scriptSnippet(origin)).element,
      html("p", { class: "hint" }, "Or with a bundler, after npm install pagewire:"),
      createCodeBox("js", importSnippet(origin)).element,
      html("p", { class: "hint" }, "Pages of other origins than the demo's are allowed once:"),
      createCommandLine("npx pagewire allow http://localhost:3000"),
    ]),
    fold("Connect a client", [
      html("p", { class: "hint" }, "Each says what to paste, and how to see that it works:"),
      ...clientCommands(origin).map(createCommandLine),
    ]),
  ];
}

function fold(title: string, children: readonly HTMLElement[]): HTMLElement {
  return html("details", { class: "how", open: true }, html("summary", {}, html("h3", {}, title)), ...children);
}
