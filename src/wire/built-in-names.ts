/** Tools that every agent always has, also those that ignore changes of a list. */
export const builtInToolNames = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"] as const;

export type BuiltInToolName = (typeof builtInToolNames)[number];

export function isBuiltInTool(name: string): name is BuiltInToolName {
  return (builtInToolNames as readonly string[]).includes(name);
}
