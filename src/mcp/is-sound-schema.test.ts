import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { isJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { isSoundSchema } from "./is-sound-schema.ts";

const words = [
  "$ref",
  "$defs",
  "type",
  "enum",
  "const",
  "properties",
  "items",
  "anyOf",
  "not",
  "required",
  "pattern",
  "format",
  "minimum",
  "minLength",
  "$id",
  "$async",
  "id",
  "nullable",
  "uniqueItems",
  "multipleOf",
  "x-other",
  "additionalProperties",
  "patternProperties",
  "prefixItems",
  "if",
  "dependentRequired",
  "contains",
];

test("what is listed as an output schema compiles, and what any writer of schemas would write is listed", () => {
  // One validator warns of each format that it does not know.
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  onTestFinished(() => warn.mockRestore());
  const { schema } = fc.letrec((tie) => ({
    schema: fc.dictionary(
      fc.constantFrom(...words),
      fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>("#", "#/$defs/type", "string", "object", "[", "^a+$", 1, -1, 0, true, null, "uri"),
        tie("schema"),
        fc.array(fc.oneof(tie("schema"), fc.constantFrom("a", "string", 1)), { maxLength: 2 }),
      ),
      { maxKeys: 4 },
    ),
  }));
  const compile = (one: object) => {
    // A new instance each time, because it remembers ids.
    expect(
      () => new AjvJsonSchemaValidator().getValidator({ type: "object", ...one }),
      JSON.stringify(one),
    ).not.toThrow();
  };
  let sound = 0;
  const property = fc.property(schema, (one) => {
    if (!isJsonObject(one) || !isSoundSchema(one)) return;
    const { $id: _, ...listed } = one;
    sound++;
    compile(listed);
  });
  fc.assert(property, { numRuns: 3000 });
  expect(sound).toBeGreaterThan(300);
  const usual: readonly JsonObject[] = [
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", format: "date-time" } },
    },
    {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      properties: { first: { $ref: "#/$defs/node" } },
    },
    {
      properties: { list: { type: "array", items: { $ref: "#" }, minItems: 1, uniqueItems: true } },
      additionalProperties: false,
    },
    {
      anyOf: [
        { type: "string", pattern: "^[a-z]+$" },
        { type: ["number", "null"], exclusiveMinimum: 0, multipleOf: 0.5 },
      ],
    },
    {
      properties: { "a/b": { enum: [1, "x", null] }, c: { $ref: "#/properties/a~1b" } },
      title: "T",
      description: "D",
      default: {},
      examples: [{}],
    },
    // As text: an object with a field of this name counts as a promise.
    JSON.parse(
      '{"if":{"required":["a"]},"then":{"properties":{"a":{"const":1}}},"else":false,"dependentRequired":{"a":["b"]}}',
    ) as JsonObject,
    { type: "array", prefixItems: [{ type: "string" }, true], items: false, contains: {}, minContains: 1 },
  ];
  for (const one of usual) {
    expect(isSoundSchema(one), JSON.stringify(one)).toBe(true);
    compile(one);
  }
});
