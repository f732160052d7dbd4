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
])("CL12: for %j somebody types %j", (property, text, value) => {
  expect(answer(property, text)).toEqual({ value });
});

test.each<[JsonObject, string, string]>([
  [{ type: "string" }, "  ", "This is needed."],
  [{ type: "number" }, "many", "This must be a number."],
  [{ type: "integer" }, "1.5", "This must be a whole number."],
  [{ type: "boolean" }, "f", "Answer with yes or no."],
  [{ type: "string", enum: ["a"] }, "2", "Choose one of: a."],
  [{ type: "array", items: { enum: ["a"] } }, "a,b", "Choose one of: a."],
])("CL12: for %j it is no answer to type %j", (property, text, problem) => {
  expect(answer(property, text, ["field"])).toEqual({ problem });
});

test("CL12: a question without a schema, or with a broken one, has no fields", () => {
  for (const parameters of [{}, { requestedSchema: 7 }, { requestedSchema: { properties: [] } }]) {
    expect(questionFields(parameters)).toEqual([]);
  }
  expect(questionFields({ requestedSchema: { properties: { odd: 7 } } })).toMatchObject([
    { name: "odd", type: "string" },
  ]);
});
