import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../toolbox/index.ts";
import type { CallContext, ToolDefinition } from "../toolbox/index.ts";
import { useTool } from "./use-tool.ts";

test("a handler has its types from the schemas, in the hook as elsewhere", () => {
  useTool({
    name: "sort_by",
    inputSchema: {
      type: "object",
      properties: { column: { enum: ["name", "price"] }, descending: { type: "boolean" } },
      required: ["column"],
    },
    enabled: true,
    execute(input, context) {
      expectTypeOf(input).toEqualTypeOf<{ column: "name" | "price"; descending?: boolean }>();
      expectTypeOf(context).toEqualTypeOf<CallContext>();
    },
  });
  useTool({
    name: "take",
    inputSchema: z.object({ n: z.number().default(1) }),
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ n: number }>(),
  });
  useTool({
    name: "total",
    outputSchema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
    // @ts-expect-error -- a total is a number
    execute: () => ({ total: "1" }),
  });
  useTool({ name: "clear", execute: (input) => expectTypeOf(input).toEqualTypeOf<{}>() }, []);
});

test("a tool that was defined elsewhere is taken as it is", () => {
  const tool = defineTool({ name: "take", inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n });
  const any: ToolDefinition = tool;
  useTool(tool);
  useTool(any);
});
