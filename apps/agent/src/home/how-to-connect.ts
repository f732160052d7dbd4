import { createCodeBox } from "../code-box.ts";
import { createCommandLine } from "../command-line.ts";
import { html } from "../../../common/src/dom.ts";

// Snippets that connect a page or a client to this hub. None of them has a token.

const ownHub = "http://127.0.0.1:7337";

export function scriptSnippet(origin: string): string {
  return [`<script`, `  src="${origin}/pagewire.js"`, `  data-app="my-app"`, `></script>`].join("\n");
}

export function importSnippet(origin: string): string {
  return [
    `import { connectPage } from "pagewire/page";`,
    "",
    "const page = await connectPage({",
    `  app: "my-app",`,
    ...(origin === ownHub ? [] : [`  hub: "${origin}",`]),
    "});",
    "page.registerTool({",
    `  name: "get_title",`,
    `  description: "The page's title.",`,
    "  execute: () => document.title,",
    "});",
  ].join("\n");
}

const clients = ["claude-code", "cursor", "vscode", "codex", "inspector"] as const;

/** A hub on the user's own machine is found without its address. */
export function clientCommands(origin: string): readonly string[] {
  const { hostname } = new URL(origin);
  const isHere = /^(localhost|.+\.localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);
  return clients.map((client) => `npx pagewire connect ${client}${isHere ? "" : ` --hub ${origin}`}`);
}

/** How to connect a page, and a client. */
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
