import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { loadJsonSchemaValidator } from "../../toolbox/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { fitTool } from "./fit-tool.ts";
import { complaintsOf } from "./vendor-checks.test-helper.ts";
import { describedTool } from "./described-tool.test-helper.ts";

const vendors = ["openai", "anthropic", "google-json", "any"] as const;
const validate = await loadJsonSchemaValidator();

function allows(schema: JsonObject, value: unknown): boolean {
  return validate(schema, value).length === 0;
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const one = (schema: Json, more: JsonObject = {}) => object({ one: schema }, more);

test("a schema that all vendors take stays as it is", () => {
  const schema = object({ shelf: { type: "string", enum: ["A", "B"] } }, { required: ["shelf"] });
  for (const vendor of vendors) expect(fitTool(schema, vendor)).toEqual({ schema, words: "", changes: [], cost: 0 });
});

describe("around the arguments", () => {
  const sku = object({ sku: { type: "string" } }, { required: ["sku"] });
  const shelf = object({ shelf: { type: "string" } }, { required: ["shelf"] });

  test("a union becomes an object with the arguments of all, and the description names the alternatives", () => {
    expect(fitTool({ type: "object", oneOf: [sku, shelf] }, "openai")).toMatchObject({
      schema: object({ sku: { type: "string" }, shelf: { type: "string" } }),
      words: "Give exactly one of {sku} or {shelf}.",
      changes: ["oneOf at the top: one object with the arguments of all, and words"],
    });
  });

  test("the property that differs between alternatives becomes a list, and the description has the rest for each", () => {
    const kind = (name: string, value: Json) =>
      object({ kind: { const: name }, value, note: {} }, { required: ["kind", "value"], additionalProperties: false });
    const { schema, words } = fitTool(
      { anyOf: [kind("a", { type: "string" }), kind("b", { type: "number" })] },
      "anthropic",
    );
    expect(schema).toEqual(
      object(
        { kind: { enum: ["a", "b"] }, value: { anyOf: [{ type: "string" }, { type: "number" }] }, note: {} },
        { required: ["kind", "value"], additionalProperties: false },
      ),
    );
    expect(words).toBe(
      'Give at least one of {kind: "a", value: {"type":"string"}, note?} or {kind: "b", value: {"type":"number"}, note?}.',
    );
  });

  test("alternatives that only need other arguments leave the object's own as they are", () => {
    const given = object(
      { one: { type: "string" }, two: {} },
      { anyOf: [{ required: ["one"] }, { required: ["two"] }] },
    );
    const { schema, words } = fitTool(given, "openai");
    expect(schema).toEqual(object({ one: { type: "string" }, two: {} }));
    expect(words).toBe("Give at least one of {one} or {two}.");
  });

  test("allOf and a reference become the object that they describe", () => {
    const given = {
      allOf: [{ $ref: "#/$defs/in" }, object({ two: {} })],
      $defs: { in: one({ type: "string" }, { required: ["one"] }) },
    };
    for (const vendor of vendors)
      expect(fitTool(given, vendor).schema).toMatchObject({
        ...object({ one: { type: "string" }, two: {} }),
        required: ["one"],
      });
  });

  test("the description names an argument whose name a vendor refuses", () => {
    const given = object(
      { größe: { type: "number" }, one: {} },
      { required: ["größe", "one"], additionalProperties: false },
    );
    expect(fitTool(given, "anthropic")).toMatchObject({
      schema: { type: "object", properties: { one: {} }, required: ["one"] },
      words: 'JSON Schema: {"properties":{"größe":{"type":"number"}},"required":["größe","one"]}',
    });
    expect(fitTool(given, "anthropic").schema).not.toHaveProperty("additionalProperties");
    expect(fitTool(given, "openai").schema).toBe(given);
  });

  test("an alternative that does not speak of an argument is the only one that its type is lost for", () => {
    const { schema } = fitTool({ type: "object", anyOf: [sku, shelf] }, "openai");
    expect(allows({ type: "object", anyOf: [sku, shelf] }, { shelf: "A", sku: 5 })).toBe(true);
    expect(allows(schema, { shelf: "A", sku: 5 })).toBe(false);
  });
});

describe("below the arguments", () => {
  test.each<[string, Json, Json]>([
    ["const", { const: "a" }, { type: "string", enum: ["a"] }],
    ["a const that is no text", { const: null }, { description: 'JSON Schema: {"enum":[null]}' }],
    ["oneOf", { oneOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    ["several types", { type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    ["a type or null", { type: ["string", "null"] }, { type: ["string", "null"] }],
    ["an enum of numbers", { enum: [1, 2] }, { type: "integer", enum: [1, 2] }],
    ["an enum of both", { enum: [1, "a"] }, { description: 'JSON Schema: {"enum":[1,"a"]}' }],
    ["a format", { type: "string", format: "uri" }, { type: "string", description: 'JSON Schema: {"format":"uri"}' }],
    ["a known format", { type: "string", format: "date" }, { type: "string", format: "date" }],
    [
      "an exclusive limit",
      { type: "number", exclusiveMinimum: 0, description: "How much." },
      { type: "number", minimum: 0, description: 'How much. JSON Schema: {"exclusiveMinimum":0}' },
    ],
    [
      "patternProperties, and what they leave open",
      { type: "object", patternProperties: { "^x": {} }, additionalProperties: false },
      { type: "object", description: 'JSON Schema: {"patternProperties":{"^x":{}},"additionalProperties":false}' },
    ],
    [
      "allOf",
      { allOf: [one({ type: "string" }), { required: ["one"] }] },
      one({ type: "string" }, { required: ["one"] }),
    ],
    ["no schema at all", false, { description: "Never given." }],
  ])("%s, as Gemini takes it", (_, given, fitted) => {
    expect(fitTool(one(given), "google-json").schema).toEqual(one(fitted));
  });

  test("a reference becomes what it refers to, and one that would never end is cut with words", () => {
    const node = object({ name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } });
    const given = one({ $ref: "#/$defs/node", description: "The tree." }, { $defs: { node } });
    expect(fitTool(given, "google-json").schema).toEqual(
      one({
        ...object({ name: { type: "string" }, children: { type: "array", items: { description: "Again node." } } }),
        description: "The tree.",
      }),
    );
    expect(fitTool(given, "openai").schema).toBe(given);
  });

  test("the description has a pattern that OpenAI's reader refuses", () => {
    const given = one({ type: "string", pattern: "^(?!x)\\p{L}+$" });
    expect(fitTool(given, "openai").schema).toEqual(
      one({ type: "string", description: 'JSON Schema: {"pattern":"^(?!x)\\\\p{L}+$"}' }),
    );
    expect(fitTool(given, "anthropic").schema).toBe(given);
  });

  test("the forms of older drafts become those of 2020-12", () => {
    const $schema = "http://json-schema.org/draft-04/schema#";
    const given = object(
      { pair: { type: "array", items: [{ type: "string" }] }, more: { minimum: 0, exclusiveMinimum: true } },
      { $schema },
    );
    expect(fitTool(given, "anthropic").schema).toEqual(
      object({ pair: { type: "array", prefixItems: [{ type: "string" }] }, more: { exclusiveMinimum: 0 } }),
    );
  });

  test("what is true only of a narrow part is not said of a wider one", () => {
    const narrow = { type: "string", pattern: "(?=a)" };
    const given = object({ no: { not: narrow }, either: { oneOf: [narrow, { type: "number" }] } });
    const { schema } = fitTool(given, "openai");
    expect(allows(schema, { no: "b", either: "ab" })).toBe(true);
    const behind = object({ no: { not: { $ref: "#/$defs/narrow" } } }, { $defs: { narrow } });
    expect(allows(fitTool(behind, "openai").schema, { no: "b" })).toBe(true);
  });

  test("each change comes with its place", () => {
    const given = object({ kind: { type: "string", const: "a" }, link: { type: "string", format: "uri" } });
    expect(fitTool(given, "google-json").changes).toEqual(["const at /kind: enum", "format at /link: words"]);
  });
});

test("a fitted schema has only what its vendor takes, and refuses no arguments that the tool describes", () => {
  fc.assert(
    fc.property(describedTool(), ({ schema, made, value }) => {
      fc.pre(allows(schema, value) && allows(made, value));
      for (const vendor of vendors) {
        const fitted = fitTool(schema, vendor);
        expect(complaintsOf(fitted.schema, vendor)).toEqual([]);
        expect(validate(fitted.schema, value)).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});

describe("schemas that mean harm", () => {
  const laughs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      { anyOf: Array(9).fill({ $ref: `#/$defs/a${index + 1}` }) },
    ]),
  );
  const deep = (depth: number): Json => {
    let schema: Json = { const: 1 };
    for (let level = 0; level < depth; level++) schema = { type: "object", properties: { in: schema } };
    return schema;
  };
  const chain = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`c${index}`, { $ref: `#/$defs/c${index + 1}` }]),
  );
  test.each<[string, JsonObject]>([
    ["a reference to itself", { $ref: "#" }],
    ["references in a circle", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["an allOf of itself", { allOf: [{ $ref: "#" }, { $ref: "#" }], oneOf: [{ $ref: "#" }, { $ref: "#" }] }],
    ["references that double", { oneOf: [{ $ref: "#/$defs/a0" }, one({ $ref: "#/$defs/a0" })], $defs: laughs }],
    [
      "doubled allOf",
      {
        allOf: Array(9).fill({ $ref: "#/$defs/a0" }),
        $defs: JSON.parse(JSON.stringify(laughs).replaceAll("anyOf", "allOf")),
      },
    ],
    ["a long chain", one({ $ref: "#/$defs/c0" }, { $defs: chain })],
    ["depth", one(deep(1000))],
    [
      "a thousand alternatives",
      { oneOf: Array.from({ length: 1000 }, (_, index) => object({ [`n${index}`]: { const: index } })) },
    ],
    [
      "the names of prototypes",
      JSON.parse(
        '{"type":"object","__proto__":{"a":1},"properties":{"__proto__":{"const":1},"constructor":{"const":2}},"allOf":[{"properties":{"__proto__":{}}}],"required":["__proto__"]}',
      ),
    ],
    [
      "words of the wrong kind",
      JSON.parse(
        '{"type":7,"properties":{"a":[],"b":{"type":"int","enum":{},"items":5,"minimum":"1","$ref":3,"anyOf":[],"required":"a"}},"oneOf":[null,3,"x"],"allOf":{},"required":[1]}',
      ),
    ],
  ])("%s cost little", (_, schema) => {
    for (const vendor of vendors) {
      const { schema: fitted, words } = fitTool(schema, vendor);
      expect(complaintsOf(fitted, vendor)).toEqual([]);
      expect(JSON.stringify(fitted).length).toBeLessThan(Math.max(JSON.stringify(schema).length * 2, 400_000));
      expect(words.length).toBeLessThan(20_000);
    }
  });

  const properties = (count: number, schema: (index: number) => Json): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema(index)]));
  const big = (mark: number) => object(properties(1000, (index) => ({ const: index + mark })));
  const refs = (count: number, ...names: readonly string[]) =>
    Array.from({ length: count }, (_, index) => ({ $ref: `#/$defs/${names[index % names.length]}` }));
  const words = "long ".repeat(10_000);
  const $defs = { one: big(0.25), two: big(0.5), long: { description: words, const: 1 }, ...chain };
  test.each<[string, JsonObject]>([
    ["alternatives that differ in many arguments", { oneOf: refs(64, "one", "two"), $defs }],
    ["an allOf of many large parts", { allOf: refs(900, "one", "two"), $defs }],
    ["many references to a long text", { ...object(properties(2000, () => ({ $ref: "#/$defs/long" }))), $defs }],
    [
      "many long chains of references",
      { ...object(properties(2000, (at) => ({ $ref: `#/$defs/c${at % 90}` }))), $defs },
    ],
    [
      "many arguments that are needed",
      { oneOf: refs(64, "all"), $defs: { all: { ...big(0), required: Object.keys($defs) } } },
    ],
    [
      "a union of unions",
      { oneOf: refs(900, "many"), $defs: { many: { anyOf: refs(3000, "one") }, one: { type: "string" } } },
    ],
  ])("%s are cut before they are put together", (_, schema) => {
    const written: number[] = [];
    const stringify = JSON.stringify;
    const spy = vi.spyOn(JSON, "stringify").mockImplementation((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given);
      written.push((text as string | undefined)?.length ?? 0);
      return text;
    });
    const costs = vendors.map((vendor) => fitTool(schema, vendor).cost);
    spy.mockRestore();
    // Each part may write a few times what it has.
    const most = 100 * stringify(schema).length;
    expect([written.length, written.reduce((sum, length) => sum + length, 0)].map((work) => work < most)).toEqual([
      true,
      true,
    ]);
    expect(Math.max(...costs)).toBeLessThanOrEqual(40_000);
    for (const vendor of vendors) {
      const fitted = fitTool(schema, vendor);
      expect(stringify(fitted).length).toBeLessThan(2_000_000);
    }
  });

  test("what needs more than it is given is cut, and whole where more is given", () => {
    const given = { ...big(0), not: { required: ["none"] } };
    expect(fitTool(given, "openai", 100)).toMatchObject({
      cost: expect.toSatisfy((cost: number) => cost >= 100) as number,
    });
    const whole = fitTool(given, "openai");
    expect(whole.cost).toBeGreaterThan(1000);
    expect(fitTool(given, "openai", whole.cost + 1)).toEqual(whole);
  });

  test("one that is too deep for JSON, or has no end, is cut", () => {
    const endless: Record<string, unknown> = { type: "object" };
    endless["properties"] = { again: endless, not: { not: endless, const: deep(100_000) } };
    for (const vendor of vendors)
      expect(complaintsOf(fitTool(endless as JsonObject, vendor).schema, vendor)).toEqual([]);
  });

  test("any JSON is fitted without a failure", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const schema = isJsonObject(value) ? value : { properties: { one: value as Json } };
        for (const vendor of vendors) expect(complaintsOf(fitTool(schema, vendor).schema, vendor)).toEqual([]);
      }),
    );
  });
});
