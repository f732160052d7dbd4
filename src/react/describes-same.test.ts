import { type } from "arktype";
import { expect, test } from "vitest";
import { z } from "zod";
import { describesSame } from "./describes-same.ts";

const schema = (n: object) => ({ name: "a", inputSchema: { type: "object", properties: { n }, required: ["n"] } });
const zod = z.object({ n: z.number() });
const ark = type({ n: "number" });

test.each([
  ["fields", { ...schema({ type: "number" }) }, schema({ type: "number" })],
  ["handlers of whatever kind", { complete: { id: () => [] } }, { complete: { id: () => ["one"] } }],
  ["one zod schema", { inputSchema: zod }, { inputSchema: zod }],
  ["one arktype", { inputSchema: ark }, { inputSchema: ark }],
])("R12: definitions with the same %s describe the same", (_, one, other) => {
  expect(describesSame(one, other)).toBe(true);
});

test.each([
  ["a deep field", schema({ type: "number" }), schema({ type: "string" })],
  ["a field more", { name: "a" }, { name: "a", title: "A" }],
  ["a field instead", { name: "a", title: undefined }, { name: "a", icons: undefined }],
  ["a list for an object", { icons: [] }, { icons: {} }],
  ["a completion more", { complete: { id: () => [] } }, { complete: { id: () => [], at: () => [] } }],
  ["another zod schema", { inputSchema: z.object({ n: z.string() }) }, { inputSchema: zod }],
  ["another arktype", { inputSchema: type({ n: "string" }) }, { inputSchema: ark }],
  ["a schema that was none", { inputSchema: ark }, { inputSchema: {} }],
])("R12: definitions with %s do not describe the same", (_, one, other) => {
  expect(describesSame(one, other)).toBe(false);
  expect(describesSame(other, one)).toBe(false);
});
