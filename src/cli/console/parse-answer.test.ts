import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { parseAnswer, questionFields } from "./parse-answer.ts";

function answer(property: JsonObject, text: string, required: readonly string[] = []): unknown {
  const [field] = questionFields({ requestedSchema: { type: "object", properties: { field: property }, required } });
  return field && parseAnswer(field, text);
}

test.each<[JsonObject, string, unknown]>([
  [{ type: "string" }, " text ", "text"],
  [{ type: "string" }, "", undefined],
  [{ type: "string", default: "preset" }, "", "preset"],
  [{ type: "number" }, "1.5", 1.5],
  [{ type: "integer" }, "-2", -2],
  [{ type: "boolean" }, "Yes", true],
  [{ type: "string", enum: ["a", "b"] }, "b", "b"],
  [{ type: "string", enum: ["a", "b"] }, "1", "a"],
  [
    {
      type: "string",
      oneOf: [
        { const: "a", title: "A" },
        { const: "b", title: "B" },
      ],
    },
    "2",
    "b",
  ],
  [{ type: "array", items: { type: "string", enum: ["a", "b", "c"] } }, "a, 3", ["a", "c"]],
  [{ type: "array", items: { anyOf: [{ const: "x" }] } }, "x", ["x"]],
  [{ type: "number", minimum: 1, maximum: 2 }, "2", 2],
  [{ type: "string", minLength: 2, maxLength: 2 }, "👍👍", "👍👍"],
  [{ type: "string", format: "email" }, "ada@shop.example", "ada@shop.example"],
  [{ type: "string", format: "date" }, "2026-02-28", "2026-02-28"],
  [{ type: "string", format: "constructor" }, "anything", "anything"],
])("for %j somebody types %j", (property, text, value) => {
  expect(answer(property, text)).toEqual({ value });
});

test.each<[JsonObject, string, string]>([
  [{ type: "string" }, "  ", "This is needed."],
  [{ type: "number" }, "many", "This must be a number."],
  [{ type: "integer" }, "1.5", "This must be a whole number."],
  [{ type: "boolean" }, "f", "Answer with yes or no."],
  [{ type: "string", enum: ["a"] }, "2", "Choose one of: a."],
  [{ type: "array", items: { enum: ["a"] } }, "a,b", "Choose one of: a."],
  [{ type: "number", minimum: 1 }, "0.5", "This must be at least 1."],
  [{ type: "integer", maximum: 9 }, "10", "This must be at most 9."],
  [{ type: "string", minLength: 2 }, "é", "This must have at least 2 characters."],
  [{ type: "string", maxLength: 2 }, "abc", "This must have at most 2 characters."],
  [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2 }, "a", "Choose at least 2."],
  [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, "a,b", "Choose at most 1."],
  [{ type: "string", format: "email" }, "ada", "This must be an e-mail address."],
  [{ type: "string", format: "uri" }, "shop", "This must be an address, such as https://shop.example."],
  [{ type: "string", format: "date" }, "2026-02-31x", "This must be a date, such as 2026-02-28."],
  [
    { type: "string", format: "date-time" },
    "2026-02-28",
    "This must be a date and a time, such as 2026-02-28T12:30:00Z.",
  ],
])("for %j it is no answer to type %j", (property, text, problem) => {
  expect(answer(property, text, ["field"])).toEqual({ problem });
});

test("a question without a schema, or with a broken one, has no fields", () => {
  for (const parameters of [{}, { requestedSchema: 7 }, { requestedSchema: { properties: [] } }]) {
    expect(questionFields(parameters)).toEqual([]);
  }
  expect(questionFields({ requestedSchema: { properties: { odd: 7 } } })).toMatchObject([
    { name: "odd", type: "string" },
  ]);
});
