import fc from "fast-check";
import type { JsonObject } from "../../../../wire/index.ts";

type Schema = fc.Arbitrary<object>;

const lengths = fc.tuple(fc.nat(4), fc.nat(6)).map(([minLength, more]) => ({ minLength, maxLength: minLength + more }));
const formats = fc.constantFrom("date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname");
const patterns = fc.constantFrom(
  "^H[0-9]+$",
  "^[a-z]{2,5}$",
  "^(red|green|blue)$",
  "^\\d{4}-\\d{2}$",
  "^[A-Z]{3}-\\d+(\\.\\d)?$",
  "^a?b+c*$",
);

const texts: Schema = fc.oneof(
  fc.constant({ type: "string" }),
  lengths.map((bounds) => ({ type: "string", ...bounds })),
  formats.map((format) => ({ type: "string", format })),
  patterns.map((pattern) => ({ type: "string", pattern })),
);

const numbers: Schema = fc
  .record({ least: fc.integer({ min: -50, max: 50 }), more: fc.nat(100), step: fc.constantFrom(1, 2, 5) })
  .chain(({ least, more, step }) =>
    fc.constantFrom<object>(
      { type: "integer", minimum: least, maximum: least + more },
      { type: "integer", minimum: least, maximum: least + more + step, multipleOf: step },
      { type: "number", exclusiveMinimum: least, exclusiveMaximum: least + more + 1 },
      { type: "number", maximum: least },
      { type: ["integer", "null"], minimum: least },
    ),
  );

const plain: Schema = fc.oneof(
  texts,
  numbers,
  fc.constant({ type: "boolean" }),
  fc.constantFrom<object>(
    { enum: ["Europe", "Asia", null] },
    { enum: [7, 30, 90] },
    { const: "fixed" },
    { type: "string", default: "usual" },
    {},
  ),
);

const names = fc.constantFrom(
  "days",
  "city",
  "text",
  "limit",
  "email",
  "start",
  "isOpen",
  "customerName",
  "items",
  "id",
);

function objectOf(value: Schema): Schema {
  return fc
    .tuple(
      fc.dictionary(names, value, { maxKeys: 5 }),
      fc.boolean(),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    )
    .map(([properties, isClosed, needed]) => ({
      type: "object",
      properties: { ...properties },
      required: Object.keys(properties).filter((_, index) => needed[index]),
      ...(isClosed && { additionalProperties: false }),
    }));
}

const values = fc.letrec<{ value: object; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    plain,
    tie("object"),
    fc.tuple(tie("value"), fc.nat(2)).map(([items, minItems]) => ({ type: "array", items, minItems, maxItems: 3 })),
    fc
      .constantFrom("string", "integer")
      .map((type) => ({ type: "array", items: { type }, uniqueItems: true, minItems: 2 })),
    fc.tuple(tie("value"), tie("value")).map(([one, other]) => ({ anyOf: [one, other] })),
    tie("object").map((one) => ({ allOf: [one, { properties: { more: { type: "integer" } }, required: ["more"] }] })),
    fc.constant({ $ref: "#/$defs/place" }),
  ),
  object: objectOf(tie("value")),
}));

const $defs = {
  place: {
    type: "object",
    properties: { city: { type: "string" }, within: { $ref: "#/$defs/place" } },
    required: ["city"],
  },
};

/** Schemas of arguments that something satisfies, deep and shallow. */
export const schemas: fc.Arbitrary<JsonObject> = objectOf(values.value)
  .filter((schema) => !JSON.stringify(schema).includes('"additionalProperties":false},{"properties":{"more"'))
  .map((schema) => ({ ...schema, $defs }) as JsonObject);

const pieces = fc.constantFrom(
  "do it",
  "30 days",
  "in Paris",
  "for Ada Lovelace",
  '"quoted text"',
  "ada@example.com",
  "last 2 weeks",
  "tomorrow at 9:30",
  "days: 12",
  "limit=5",
  "city is New York",
  "not open",
  "Europe",
  "H20418",
  "https://example.com/x",
  "from 2026-01-01 to 2026-02-01",
  "items: a, b and c",
  "id 7",
  "-3.5",
  "😀",
  "text:",
  "start",
  "2,000",
  "5k",
  "the",
  "and",
  ",",
  "\n",
  "|",
);

export const sentences = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((words) => words.join(" ")),
  fc.string({ maxLength: 80, unit: "grapheme" }),
);
