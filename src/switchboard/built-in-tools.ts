import type { CallToolResult, Json, Tool } from "../wire/index.ts";

const text = { type: "string" } as const;
/** Claude Code shows its model only the names of most tools; the model needs these two to find the others. */
const alwaysLoaded = { "anthropic/alwaysLoad": true } as const;
const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

/** Always listed: an agent that never reads the list again can still use tools that are added later. */
export const builtInTools: readonly Tool[] = [
  {
    name: "list_browser_tabs",
    title: "List browser tabs",
    description: "Lists open tabs and their tools' names.",
    inputSchema: { type: "object", properties: {} },
    annotations: readOnly,
    _meta: alwaysLoaded,
  },
  {
    name: "list_tab_tools",
    title: "List a tab's tools",
    description: "Describes the tools of a tab, or of all, in your list or not.",
    inputSchema: { type: "object", properties: { tabId: text } },
    annotations: readOnly,
    _meta: alwaysLoaded,
  },
  {
    name: "call_tab_tool",
    title: "Call a tab's tool",
    description: "Calls any tool of a tab.",
    inputSchema: {
      type: "object",
      properties: {
        tabId: text,
        name: text,
        arguments: { type: "object" },
      },
      required: ["tabId", "name"],
    },
    _meta: alwaysLoaded,
  },
];

/**
 * The JSON of a result that holds one value, as data and as text. Data must be an object; the text may show only a part of
 * it, such as a list.
 */
export function resultText(value: { readonly [name: string]: Json }, shown: Json = value): string {
  const result: CallToolResult = {
    content: [{ type: "text", text: JSON.stringify(shown) }],
    structuredContent: value,
  };
  return JSON.stringify(result);
}
