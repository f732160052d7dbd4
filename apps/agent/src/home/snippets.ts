// What to paste so that a page or a client reaches the hub that serves this page. None of it holds a token.

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

/** The hub of one's own machine is found without its address. */
export function clientCommands(origin: string): readonly string[] {
  const { hostname } = new URL(origin);
  const isHere = /^(localhost|.+\.localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);
  return clients.map((client) => `npx pagewire connect ${client}${isHere ? "" : ` --hub ${origin}`}`);
}
