import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../wire/index.ts";
import { jsonSchemaValidator } from "./json-schema-validator.ts";

/** The problems of a value as an agent reads them. */
function problems(schema: object, value: unknown): string[] {
  return jsonSchemaValidator(schema as JsonObject, value).map(({ path, message }) => `${path} ${message}`);
}

function problemsOrError(schema: object, value: unknown): unknown {
  try {
    return problems(schema, value);
  } catch (error) {
    return error;
  }
}

const of = (schema: object) => ({ type: "object", properties: { x: schema } });

test("each problem is a path and what must be there instead", () => {
  const cases: [object, unknown, string[]][] = [
    [of({ type: "number" }), { x: "a" }, ["/x must be number"]],
    [of({ type: ["number", "null"] }), { x: "a" }, ["/x must be number or null"]],
    [of({ type: "integer" }), { x: 1.5 }, ["/x must be integer"]],
    [
      { type: "object", required: ["a", 'b "c"', "d/e~"] },
      {},
      ["/a is required", '/b "c" is required', "/d~1e~0 is required"],
    ],
    [of({ required: ["y"] }), { x: {} }, ["/x/y is required"]],
    [{ additionalProperties: false, properties: { a: {} } }, { a: 1, b: 2 }, ["/b is not allowed"]],
    [{ unevaluatedProperties: false }, { "a b": 2 }, ["/a b is not allowed"]],
    [of(false as unknown as object), { x: 1 }, ["/x is not allowed"]],
    [of({ enum: ["a", 1] }), { x: "b" }, ['/x does not match any of ["a",1]']],
    [of({ const: "any of " }), { x: "b" }, ['/x does not match "any of "']],
    [of({ minimum: 1.5 }), { x: 1 }, ["/x 1 is less than 1.5"]],
    [of({ maximum: 1 }), { x: 2 }, ["/x 2 is greater than 1"]],
    [of({ exclusiveMinimum: 1 }), { x: 1 }, ["/x must be greater than 1"]],
    [of({ exclusiveMaximum: 1 }), { x: 1 }, ["/x 1 is greater than or equal to 1"]],
    [of({ multipleOf: 2 }), { x: 3 }, ["/x 3 is not a multiple of 2"]],
    [of({ minLength: 2 }), { x: "" }, ["/x is too short (0 < 2)"]],
    [of({ pattern: "^a" }), { x: "b" }, ["/x does not match pattern"]],
    [of({ format: "date" }), { x: "b" }, ['/x does not match format "date"']],
    [of({ items: { type: "number" } }), { x: [1, "a", "b"] }, ["/x/1 must be number", "/x/2 must be number"]],
    [of({ maxItems: 1 }), { x: [1, 2] }, ["/x has too many items (2 > 1)"]],
    [of({ maxProperties: 1 }), { x: { a: 1, b: 2 } }, ["/x must not have more than 1 properties"]],
    [of({ not: { type: "string" } }), { x: "a" }, ['/x matched "not" schema']],
    [
      of({ anyOf: [{ type: "number" }, { type: "null" }] }),
      { x: "a" },
      ["/x does not match any subschemas", "/x must be number", "/x must be null"],
    ],
    [of({ oneOf: [{}, {}] }), { x: "a" }, ["/x does not match exactly one subschema (2 matches)"]],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, 5, ["/ must be string"]],
    [JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}') as object, { a: 1 }, ["/b is required"]],
    [{ $defs: { n: { type: "number" } }, ...of({ $ref: "#/$defs/n" }) }, { x: "a" }, ["/x must be number"]],
  ];
  for (const [schema, value, expected] of cases) expect(problems(schema, value)).toEqual(expected);
});

test("the same problem is named once, and a value that matches has none", () => {
  expect(problems(of({ allOf: [{ type: "number" }, { type: "number" }] }), { x: "a" })).toEqual(["/x must be number"]);
  expect(problems(of({ type: "number" }), { x: 1 })).toEqual([]);
  expect(problems({}, null)).toEqual([]);
});

test("a schema is left as it is, may be frozen, and is used again", () => {
  const schema = Object.freeze(of(Object.freeze({ $ref: "#/$defs/a" })));
  const whole = Object.freeze({ ...schema, $defs: { a: { type: "number" } } });
  expect(problems(whole, { x: "a" })).toEqual(["/x must be number"]);
  expect(problems(whole, { x: 1 })).toEqual([]);
  expect(Object.getOwnPropertyNames(whole)).toEqual(["type", "properties", "$defs"]);
});

test("the draft that a schema names is followed", () => {
  const exclusive = of({ minimum: 5, exclusiveMinimum: true });
  expect(problems({ $schema: "http://json-schema.org/draft-04/schema#", ...exclusive }, { x: 5 })).toHaveLength(1);
  const sibling = of({ $ref: "#/definitions/a", type: "string" });
  const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", ...sibling, definitions: { a: {} } };
  expect(problems(draft7, { x: 1 })).toEqual([]);
  const latest = { $schema: "https://json-schema.org/draft/2020-12/schema", ...sibling, definitions: { a: {} } };
  expect(problems(latest, { x: 1 })).toEqual(["/x must be string"]);
});

test("a schema that cannot be used is an error that says why in one sentence, and nothing is fetched", () => {
  const unusable: [object, RegExp][] = [
    [of({ $ref: "https://example.com/a.json" }), /^Unresolved \$ref "https:\/\/example\.com\/a\.json"\.$/],
    [of({ $ref: "#/$defs/missing" }), /^Unresolved \$ref "#\/\$defs\/missing"\.$/],
    [of({ pattern: "(" }), /^Invalid regular expression/],
    [{ $ref: "#" }, /call stack/],
  ];
  for (const [schema, message] of unusable) expect(() => problems(schema, { x: "a" })).toThrow(message);
});

test("whatever the schema and the value, there is an answer or an error", () => {
  const keyword = fc.constantFrom(
    ...["type", "properties", "items", "anyOf", "allOf", "oneOf", "not", "$ref", "$id", "enum", "required", "pattern"],
    ...["if", "then", "contains", "minimum", "format", "additionalProperties", "prefixItems", "$defs", "uniqueItems"],
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(keyword, tie("schema"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(keyword, schema), fc.jsonValue(), (given, value) => {
      expect(problemsOrError(given, value)).toSatisfy(
        (found) => found instanceof Error || (found as string[]).every((problem) => /^\/.* ./s.test(problem)),
      );
    }),
    { numRuns: 500 },
  );
});
