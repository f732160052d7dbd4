import { expect, test } from "vitest";
import type { Json } from "./json.ts";
import { builtInToolNames, isBuiltInTool, isForTerminals, itemProblem, terminalOnly } from "./tool.ts";

test("W30: a tool is for terminals only if it declares that, and otherwise for everyone", () => {
  expect(terminalOnly).toEqual({ "pagewire/audience": "terminal" });
  expect(isForTerminals({ _meta: { ...terminalOnly, "other/mark": 1 } })).toBe(true);
  expect(isForTerminals({})).toBe(false);
  const others: readonly Json[] = ["all", "Terminal", "terminal ", "", null, true, ["terminal"], { terminal: true }];
  for (const audience of others) expect(isForTerminals({ _meta: { "pagewire/audience": audience } })).toBe(false);
});

test("the names of the built-in tools are these, permanently, and are reserved", () => {
  expect(builtInToolNames).toEqual(["list_browser_tabs", "list_tab_tools", "call_tab_tool"]);
  expect(builtInToolNames.every(isBuiltInTool)).toBe(true);
  expect(["", "list_tabs", "List_browser_tabs", "toString", "length"].some(isBuiltInTool)).toBe(false);
});

test("an external item is shown to agents, or refused for its first problem", () => {
  const bounds = { schemaBytes: 30 };
  const inputSchema = { type: "object" };
  const codeOf = (...[kind, item, more]: Parameters<typeof itemProblem>) => itemProblem(kind, item, more)?.code;
  expect(codeOf("tools", { name: "buy", inputSchema, outputSchema: {}, later: [1] }, bounds)).toBeUndefined();
  expect(codeOf("prompts", { name: "write" }, bounds)).toBeUndefined();
  expect(codeOf("resources", { uri: "shop://cart", name: "cart" }, bounds)).toBeUndefined();
  expect(codeOf("tools", { inputSchema }, bounds)).toBe("frame-malformed");
  expect(codeOf("tools", { name: "buy it", inputSchema }, bounds)).toBe("name-invalid");
  expect(codeOf("tools", { name: "buy it", inputSchema }, { ...bounds, anyNames: true })).toBeUndefined();
  expect(codeOf("tools", { name: "", inputSchema }, { ...bounds, anyNames: true })).toBe("frame-malformed");
  expect(codeOf("tools", { name: "buy", title: 1, inputSchema }, bounds)).toBe("frame-malformed");
  expect(codeOf("tools", { name: "buy", inputSchema: {} }, bounds)).toBe("schema-invalid");
  expect(codeOf("tools", { name: "buy", inputSchema, outputSchema: true }, bounds)).toBe("schema-invalid");
  expect(codeOf("tools", { name: "buy", inputSchema, outputSchema: { x: "x".repeat(30) } }, bounds)).toBe(
    "schema-too-large",
  );
  const inEuros = (count: number) => ({ inputSchema: { ...inputSchema, x: "€".repeat(count) } });
  const sized = { schemaBytes: JSON.stringify(inEuros(0).inputSchema).length + 6 };
  expect(codeOf("tools", { name: "buy", ...inEuros(2) }, sized)).toBeUndefined();
  expect(codeOf("tools", { name: "buy", ...inEuros(3) }, sized)).toBe("schema-too-large");
  for (const uri of ["", "x".repeat(2049)]) expect(codeOf("resources", { uri, name: "cart" }, bounds)).toBeDefined();
});
