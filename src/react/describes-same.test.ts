import { type } from "arktype";
import { expect, test } from "vitest";
import { z } from "zod";
import { describesSame } from "./describes-same.ts";

const schema = (n: object) => ({ name: "a", inputSchema: { type: "object", properties: { n }, required: ["n"] } });
/** A schema that contains itself after `steps` levels, and ends in a type. */
function knot(steps: number, type = "object"): object {
  const last: Record<string, unknown> = { type };
  let schema = last;
  for (let step = 1; step < steps; step++) schema = { type: "object", properties: schema };
  last["properties"] = schema;
  return schema;
}

const query = (text: string) => ({ url: new URL(`https://shop.example/?${text}`), query: new URLSearchParams(text) });
const zod = z.object({ n: z.number() });
const ark = type({ n: "number" });

test.each([
  ["fields", { ...schema({ type: "number" }) }, schema({ type: "number" })],
  ["handlers of whatever kind", { complete: { id: () => [] } }, { complete: { id: () => ["one"] } }],
  ["fields in another order", { name: "a", title: "A" }, { title: "A", name: "a" }],
  ["fields but undefined ones", { name: "a", title: undefined }, { name: "a", icons: undefined }],
  ["knot", knot(1), knot(1)],
  ["knot, tied otherwise", knot(2), knot(3)],
  ["one zod schema", { inputSchema: zod }, { inputSchema: zod }],
  ["one arktype", { inputSchema: ark }, { inputSchema: ark }],
])("definitions with the same %s describe the same", (_, one, other) => {
  expect(describesSame(one, other)).toBe(true);
});

test.each([
  ["a deep field", schema({ type: "number" }), schema({ type: "string" })],
  ["another end of a knot", knot(2), knot(2, "string")],
  ["a field of a name that all objects have", { toString: "a" }, {}],
  ["a field more", { name: "a" }, { name: "a", title: "A" }],
  ["a field instead", { name: "a", title: "A" }, { name: "a", icons: [] }],
  ["a list for an object", { icons: [] }, { icons: {} }],
  ["a completion more", { complete: { id: () => [] } }, { complete: { id: () => [], at: () => [] } }],
  ["another zod schema", { inputSchema: z.object({ n: z.string() }) }, { inputSchema: zod }],
  ["another arktype", { inputSchema: type({ n: "string" }) }, { inputSchema: ark }],
  ["a schema that was none", { inputSchema: ark }, { inputSchema: {} }],
])("definitions with %s do not describe the same", (_, one, other) => {
  expect(describesSame(one, other)).toBe(false);
  expect(describesSame(other, one)).toBe(false);
});

test("an address or a query that is written anew is the same where it says the same", () => {
  expect(describesSame(query("code=1"), query("code=1"))).toBe(true);
  expect(describesSame(query("code=1"), query("code=2"))).toBe(false);
  expect(describesSame({ query: new URLSearchParams() }, { query: {} })).toBe(false);
});
