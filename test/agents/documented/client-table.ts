import { expandEditorVariables } from "./documented-client.ts";
import type { DocumentedClient } from "./documented-client.ts";

const claudeDesktop: DocumentedClient = {
  id: "claude-desktop",
  title: "Claude Desktop",
  sources:
    "modelcontextprotocol.io (the file, full paths, a subset of the environment, no folder in particular); logs of its users (its name, its version of the protocol, its capabilities: williamkapke/kapture#17; the first page only: anthropics/claude-code#66537)",
  unknown: "which variables it hands on beside HOME and PATH, and whether it asks for roots where it says so",
  hello: {
    protocolVersion: "2025-11-25",
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
    clientInfo: { name: "claude-ai", version: "0.1.0" },
  },
  section: "mcpServers",
  expand: (text) => text,
  folder: () => "/",
  alsoLists: ["resources/list", "prompts/list"],
  readsAllPages: false,
  uses: (_, tools) => tools,
  takesAddress: false,
};

const cursor: DocumentedClient = {
  id: "cursor",
  title: "Cursor",
  sources:
    "cursor.com/docs/mcp (the file, its variables, elicitation); apify/mcp-client-capabilities (its name and capabilities); reports of its users (60 characters: ComposioHQ/composio#2788; 40 tools; started in /, roots without a list: lean-ctx)",
  unknown:
    "its version of the protocol after 2025-06-18, its version in clientInfo, whether it reads further pages, and the number of tools of its newest version",
  hello: {
    protocolVersion: "2025-06-18",
    capabilities: { roots: {}, elicitation: {} },
    clientInfo: { name: "cursor-vscode", version: "1.0.0" },
  },
  section: "mcpServers",
  expand: expandEditorVariables,
  folder: () => "/",
  alsoLists: ["resources/list", "prompts/list"],
  readsAllPages: false,
  roots: "method not found",
  uses: (server, tools) => tools.filter((tool) => tool.length + server.length < 60).slice(0, 40),
  takesAddress: true,
};

const vscode: DocumentedClient = {
  id: "vscode",
  title: "VS Code",
  sources:
    "code.visualstudio.com (the file, its inputs and variables, the workspace's folder, 128 tools); its issues (its version of the protocol: microsoft/vscode#291432, #308766); apify/mcp-client-capabilities (its name and capabilities)",
  unknown: "whether it reads further pages",
  hello: {
    protocolVersion: "2025-11-25",
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
    clientInfo: { name: "Visual Studio Code", version: "1.132.0" },
  },
  section: "servers",
  expand: (text, desk) =>
    expandEditorVariables(text, desk).replaceAll(/\$\{input:([\w-]+)\}/g, (_, id: string) => desk.inputs[id] ?? ""),
  folder: ({ project }) => project,
  alsoLists: ["resources/list", "prompts/list"],
  readsAllPages: false,
  roots: [{ uri: "file:///workspace", name: "workspace" }],
  uses: (_, tools) => tools.slice(0, 128),
  takesAddress: true,
};

/** Every program that is checked by its documented configuration, in the order of the reference. */
export const documentedTable: readonly DocumentedClient[] = [claudeDesktop, cursor, vscode];
