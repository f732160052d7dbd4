import { expect, test } from "vitest";
import { builtInToolNames, isBuiltInTool } from "./built-in-names.ts";

test("W28: the names of the built-in tools are these, for good, and only these belong to them", () => {
  expect(builtInToolNames).toEqual(["list_browser_tabs", "list_tab_tools", "call_tab_tool"]);
  expect(builtInToolNames.every(isBuiltInTool)).toBe(true);
  expect(["", "list_tabs", "List_browser_tabs", "toString", "length"].some(isBuiltInTool)).toBe(false);
});
