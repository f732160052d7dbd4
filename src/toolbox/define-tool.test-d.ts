// Compiled, never run: a handler's types come from the tool's schemas.
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { JsonObject } from "../wire/index.ts";
import { defineTool } from "./define-tool.ts";
import type { FromSchema } from "./from-schema.ts";
import type { LocalToolbox } from "./create-toolbox.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** Fails to compile unless both types are the same. */
function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]
): void {}

// Proves T100: the input of a JSON Schema literal.
const fromJsonSchema = defineTool({
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
  execute(input, context) {
    same<typeof input.text, string>();
    same<typeof input.count, number | undefined>();
    same<typeof input.kind, "a" | "b">();
    same<typeof input.one, 1 | undefined>();
    same<typeof input.tags, string[] | undefined>();
    same<typeof input.place, { x: number } | undefined>();
    same<typeof input.either, string | null | undefined>();
    same<typeof input.maybe, number | null | undefined>();
    same<typeof input.any, unknown>();
    same<typeof context.signal, AbortSignal>();
    // @ts-expect-error there is no such field
    return input.nothing;
  },
});

// T100: without a schema, and with one that says nothing.
defineTool({ name: "a", execute: (input) => same<typeof input, {}>() });
defineTool({
  name: "a",
  inputSchema: { type: "object" },
  execute: (input) => same<typeof input, Record<string, unknown>>(),
});
declare const someSchema: JsonObject;
defineTool({ name: "a", inputSchema: someSchema, execute: (input) => same<typeof input, Record<string, unknown>>() });

// T101: what a Standard Schema makes of the input.
const fromZod = defineTool({
  name: "a",
  inputSchema: z.object({ from: z.string(), limit: z.number().default(5), at: z.string().transform(Number) }),
  execute: (input) => same<typeof input, { from: string; limit: number; at: number }>(),
});
defineTool({
  name: "a",
  inputSchema: type({ from: "string", "limit?": "number" }),
  execute: (input) => same<typeof input, { from: string; limit?: number }>(),
});
defineTool({
  name: "a",
  inputSchema: toStandardJsonSchema(v.object({ from: v.string() })),
  execute: (input) => same<typeof input, { from: string }>(),
});

// T102: the answer, by the output schema.
const outputSchema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] } as const;
defineTool({ name: "a", outputSchema, execute: () => ({ total: 1 }) });
defineTool({ name: "a", outputSchema, execute: async () => ({ content: [], isError: true }) });
// @ts-expect-error the total is a number
defineTool({ name: "a", outputSchema, execute: () => ({ total: "1" }) });
defineTool({ name: "a", outputSchema: z.object({ at: z.string().transform(Number) }), execute: () => ({ at: "1" }) });
// @ts-expect-error what the schema takes, not what it makes
defineTool({ name: "a", outputSchema: z.object({ at: z.string().transform(Number) }), execute: () => ({ at: 1 }) });

// T103: definitions of any schema are kept together and registered, by name or on the spot.
const tools: readonly ToolDefinition[] = [fromJsonSchema, fromZod];
declare const toolbox: LocalToolbox;
for (const tool of tools) toolbox.registerTool(tool);
toolbox.registerTool(fromZod);
toolbox.registerTool({
  name: "a",
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: (input) => same<typeof input, { n: number }>(),
});

same<FromSchema<{ type: "array"; items: { type: "object" } }>, Record<string, unknown>[]>();
same<FromSchema<{ $ref: "#" }>, unknown>();
same<FromSchema<true>, unknown>();
