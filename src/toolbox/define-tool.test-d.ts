import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { CallToolResult, JsonObject } from "../wire/index.ts";
import { makeToolbox } from "./call.test-helper.ts";
import { defineTool } from "./definitions.ts";
import type { FromSchema, AnswerOf, InputOf, ToolDefinition } from "./definitions.ts";
import type { InputRequired } from "./context.ts";

test("a handler's input has the type that a JSON Schema literal describes", () => {
  defineTool({
    name: "a",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string" },
        count: { type: "integer" },
        kind: { enum: ["a", "b"] },
        one: { const: 1 },
        tags: { type: "array", items: { type: "string" } },
        place: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
        either: { anyOf: [{ type: "string" }, { type: "null" }] },
        maybe: { type: ["number", "null"] },
        any: {},
      },
      required: ["text", "kind"],
    },
    execute(input, { signal }) {
      expectTypeOf(input.text).toEqualTypeOf<string>();
      expectTypeOf(input.count).toEqualTypeOf<number | undefined>();
      expectTypeOf(input.kind).toEqualTypeOf<"a" | "b">();
      expectTypeOf(input.one).toEqualTypeOf<1 | undefined>();
      expectTypeOf(input.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(input.place).toEqualTypeOf<{ x: number } | undefined>();
      expectTypeOf(input.either).toEqualTypeOf<string | null | undefined>();
      expectTypeOf(input.maybe).toEqualTypeOf<number | null | undefined>();
      expectTypeOf(input.any).toEqualTypeOf<unknown>();
      expectTypeOf(input).not.toHaveProperty("nothing");
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    },
  });
});

test("where a schema cannot tell, the type is unknown, or any object", () => {
  expectTypeOf<FromSchema<{ $ref: "#" }>>().toEqualTypeOf<unknown>();
  expectTypeOf<FromSchema<true>>().toEqualTypeOf<unknown>();
  expectTypeOf<FromSchema<{ type: "array" }>>().toEqualTypeOf<unknown[]>();
  expectTypeOf<InputOf<{ type: "object" }>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<InputOf<JsonObject>>().toEqualTypeOf<Record<string, unknown>>();
  defineTool({ name: "a", execute: (input) => expectTypeOf(input).toEqualTypeOf<{}>() });
});

test("a handler's input has the type that a Standard Schema makes of it", () => {
  defineTool({
    name: "a",
    inputSchema: z.object({ from: z.string(), limit: z.number().default(5), at: z.string().transform(Number) }),
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ from: string; limit: number; at: number }>(),
  });
  defineTool({
    name: "a",
    inputSchema: type({ from: "string", "limit?": "number" }),
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ from: string; limit?: number }>(),
  });
  defineTool({
    name: "a",
    inputSchema: toStandardJsonSchema(v.object({ from: v.string() })),
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ from: string }>(),
  });
});

test("an answer has the type that the output schema takes, or is an MCP result or what to ask first", () => {
  const outputSchema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] } as const;
  expectTypeOf<AnswerOf<typeof outputSchema>>().toEqualTypeOf<{ total: number } | CallToolResult | InputRequired>();
  defineTool({ name: "a", outputSchema, execute: () => ({ total: 1 }) });
  defineTool({ name: "a", outputSchema, execute: async () => ({ content: [], isError: true }) });
  const made = z.object({ at: z.string().transform(Number) });
  expectTypeOf<AnswerOf<typeof made>>().toEqualTypeOf<{ at: string } | CallToolResult | InputRequired>();
  expectTypeOf<AnswerOf<object>>().toEqualTypeOf<unknown>();
});

test("tools of any schemas are kept together, and registered as they are or on the spot", () => {
  const toolbox = makeToolbox();
  const literal = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  const one = defineTool({ name: "a", inputSchema: literal, execute: ({ n }) => n });
  const other = defineTool({ name: "b", inputSchema: z.object({ from: z.string() }), execute: ({ from }) => from });
  const tools: readonly ToolDefinition[] = [one, other, { name: "c", execute: () => "" }];
  for (const tool of tools) toolbox.registerTool(tool);
  toolbox.registerTool(one);
  toolbox.registerTool({
    name: "a",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    execute: (input) => expectTypeOf(input).toEqualTypeOf<{ n: number }>(),
  });
});
