import { expect, test } from "vitest";
import type { JsonObject } from "pagewire/wire";
import { addedValue, firstValue, hasSecret, partOf, variantFor, withoutPatterns } from "./schema.ts";

const order: JsonObject = {
  type: "object",
  required: ["customer", "lines", "pay"],
  properties: {
    customer: { $ref: "#/$defs/customer" },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] } },
    pay: {
      oneOf: [
        { type: "object", properties: { by: { const: "card" }, number: { type: "string" } }, required: ["by"] },
        { type: "object", properties: { by: { const: "invoice" } }, required: ["by"] },
      ],
    },
    gift: { type: "boolean", default: true },
    note: { type: ["string", "null"] },
    count: { type: "integer" },
  },
  $defs: {
    customer: {
      allOf: [
        { type: "object", required: ["name"], properties: { name: { type: "string" } } },
        { properties: { mail: { type: "string", format: "email" } }, required: ["mail"] },
      ],
    },
    loop: { $ref: "#/$defs/loop" },
    tree: { type: "object", required: ["left"], properties: { left: { $ref: "#/$defs/tree" } } },
  },
};

test("a form begins with defaults, constants, and the objects that must be there", () => {
  expect(firstValue(order, order)).toEqual({ customer: {}, lines: [], pay: { by: "card" }, gift: true });
});

test("references and allOf become one object with all fields", () => {
  const part = partOf({ $ref: "#/$defs/customer" }, order);
  expect(part.kind === "object" && part.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ["name", true],
    ["mail", true],
  ]);
});

test("schemas that refer to themselves end", () => {
  expect(partOf({ $ref: "#/$defs/loop" }, order).kind).toBe("json");
  expect(JSON.stringify(firstValue({ $ref: "#/$defs/tree" }, order)).length).toBeLessThan(200);
  expect(partOf({ $ref: "https://elsewhere.example/schema" }, order).kind).toBe("json");
  expect(partOf({ $ref: "#/__proto__/constructor" }, order).kind).toBe("json");
});

test("constants distinguish variants, and each type in a list is a variant", () => {
  const pay = partOf(order["properties"] && (order["properties"] as JsonObject)["pay"], order);
  if (pay.kind !== "variants") throw new Error(pay.kind);
  expect(pay.variants.map(({ label }) => label)).toEqual(["by: card", "by: invoice"]);
  const schemas = pay.variants.map(({ schema }) => schema);
  expect(variantFor({ by: "invoice" }, schemas, order)).toBe(1);
  expect(variantFor(17, schemas, order)).toBe(0);
  const note = partOf({ type: ["string", "null"] }, order);
  expect(note.kind === "variants" && note.variants.map(({ label }) => label)).toEqual(["string", "null"]);
});

test("constants with titles are a choice, and controls follow type and format", () => {
  const choice = partOf({ oneOf: [{ const: 1, title: "One" }, { const: 2 }] }, order);
  expect(choice).toMatchObject({ kind: "choice", values: [1, 2], labels: ["One", "2"] });
  expect(partOf({ type: "string", format: "date" }, order)).toMatchObject({ kind: "text", input: "date" });
  expect(partOf({ type: "string" }, order, "body")).toMatchObject({ isLong: true });
  expect(partOf({ type: "string", writeOnly: true }, order)).toMatchObject({ input: "password" });
  expect([partOf({}, order).kind, partOf(true, order).kind, partOf({ type: "odd" }, order).kind]).toEqual([
    "json",
    "json",
    "json",
  ]);
  expect(
    [{ type: "string" }, { type: "number" }, { enum: ["a", "b"] }, {}].map((each) => addedValue(each, order)),
  ).toEqual(["", 0, "a", null]);
});

test("a page's regular expressions are left out, and nothing that only looks like one", () => {
  const schema = {
    properties: { pattern: { type: "string", pattern: "(a+)+$" } },
    patternProperties: { "^(x+)+$": { type: "string" } },
    additionalProperties: false,
    enum: [{ pattern: "kept" }],
  };
  expect(withoutPatterns(schema)).toEqual({
    properties: { pattern: { type: "string" } },
    enum: [{ pattern: "kept" }],
  });
});

test("a secret field is known wherever it is", () => {
  expect(hasSecret({ properties: { key: { type: "string", format: "password" } } })).toBe(true);
  expect(hasSecret(order)).toBe(false);
});
