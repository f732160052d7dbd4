import { expectTypeOf, test } from "vitest";
import type { ModelContextTool } from "../webmcp/index.ts";
import { useModelContextTool } from "./use-model-context-tool.ts";

test("a handler of useModelContextTool has its types from the schema", () => {
  const { isRegistered, error } = useModelContextTool({
    name: "sort_by",
    description: "Sorts.",
    inputSchema: {
      type: "object",
      properties: { column: { enum: ["name", "price"] }, descending: { type: "boolean" } },
      required: ["column"],
    },
    annotations: { readOnlyHint: true },
    execute(input, { signal }) {
      expectTypeOf(input).toEqualTypeOf<{ column: "name" | "price"; descending?: boolean }>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    },
  });
  expectTypeOf(isRegistered).toEqualTypeOf<boolean>();
  expectTypeOf(error).toEqualTypeOf<Error | undefined>();
  useModelContextTool({
    name: "clear",
    description: "Clears.",
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{}>(),
  });
  // @ts-expect-error -- a browser refuses a tool without a description
  useModelContextTool({ name: "clear", execute: () => {} });
});

test("a tool in the standard's own form is taken as it is", () => {
  const tool: ModelContextTool = { name: "clear", description: "Clears.", execute: () => "cleared" };
  useModelContextTool(tool, { enabled: true, exposedTo: ["https://agent.example"] });
});
