import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { checkParamHeaders, declaredHeaders } from "./headers.ts";

const hasParamHeaders = (schema: JsonObject) => declaredHeaders(schema).length > 0;

const schemaOf = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const region = schemaOf({ region: { type: "string", "x-mcp-header": "Region" } });
const encoded = (value: string | Buffer) => `=?base64?${Buffer.from(value).toString("base64")}?=`;

/** How one argument of a type stands to the value of its header. */
function check(type: string, value: Json | undefined, header: string | undefined): string | undefined {
  const schema = schemaOf({ value: { type, "x-mcp-header": "Value" } });
  return checkParamHeaders(
    schema,
    value === undefined ? {} : { value },
    header === undefined ? {} : { "mcp-param-value": header },
  );
}

test("M76: an argument that a tool wants as a header must be in it, and be the same", () => {
  const given = { region: "eu" };
  expect(checkParamHeaders(region, given, { "mcp-param-region": "eu" })).toBe(undefined);
  expect(checkParamHeaders(region, given, {})).toBe(
    'The header Mcp-Param-Region is missing. Send the argument "region" in it as well.',
  );
  expect(checkParamHeaders(region, given, { "mcp-param-region": "us" })).toBe(
    'The header Mcp-Param-Region says something else than the argument "region". Send the same value in both.',
  );
  expect(checkParamHeaders(region, given, { "mcp-param-region": "EU" })).toMatch("something else");
  expect(checkParamHeaders(region, given, { "mcp-param-region": "eu, us" })).toMatch("something else");
});

test("M76: the name of a header may be written in any case, in the schema as in the request", () => {
  const shouting = schemaOf({ region: { type: "string", "x-mcp-header": "REGION" } });
  for (const schema of [region, shouting]) {
    expect(checkParamHeaders(schema, { region: "eu" }, { "mcp-param-region": "eu" })).toBe(undefined);
  }
});

test("M76: an argument inside another is found by its path, and each of several is looked at", () => {
  const schema = schemaOf({
    where: { type: "object", properties: { to: { properties: { city: { type: "string", "x-mcp-header": "City" } } } } },
    count: { type: "integer", "x-mcp-header": "Count" },
  });
  const given = { where: { to: { city: "Bern" } }, count: 2 };
  const headers = { "mcp-param-city": "Bern", "mcp-param-count": "2" };
  expect(checkParamHeaders(schema, given, headers)).toBe(undefined);
  expect(checkParamHeaders(schema, given, { ...headers, "mcp-param-city": "Rome" })).toMatch('"where.to.city"');
  expect(checkParamHeaders(schema, given, { ...headers, "mcp-param-count": "3" })).toMatch("Mcp-Param-Count");
});

test("integers and numbers are compared as numbers, in decimal form", () => {
  for (const type of ["integer", "number"]) {
    for (const same of ["42", "42.0", "042", encoded("42")]) expect(check(type, 42, same)).toBe(undefined);
    for (const other of ["43", "4.2e1", "0x2a", "+42", " 42", "42.", "", "NaN"])
      expect(check(type, 42, other)).toMatch("something else");
    expect(check(type, -1.5, "-1.50")).toBe(undefined);
    expect(check(type, 1e-7, "1e-7")).toBe(undefined);
    expect(check(type, 1e-7, "0.0000001")).toBe(undefined);
    expect(check(type, 0, "-0")).toBe(undefined);
    expect(check(type, "42", "42.0")).toMatch("something else");
  }
  expect(check("string", 42, "42.0")).toMatch("something else");
});

test("a boolean is true or false", () => {
  expect(check("boolean", true, "true")).toBe(undefined);
  expect(check("boolean", false, "false")).toBe(undefined);
  for (const other of ["True", "1", "false", ""]) expect(check("boolean", true, other)).toMatch("something else");
});

test("what does not fit into a header is sent as Base64 of UTF-8", () => {
  for (const value of ["Zürich", "\u{1f600}", " padded ", "two\nlines", "", "\ufeffmark", "=?base64?eA==?="]) {
    expect(check("string", value, encoded(value))).toBe(undefined);
  }
  expect(check("string", "eu", encoded("us"))).toMatch("something else");
  expect(check("boolean", true, encoded("true"))).toBe(undefined);
});

test("what only begins or ends like Base64 is taken as it is", () => {
  for (const value of ["=?base64?", "?=", "=?base64?=", "=?BASE64?eA==?=", "x=?base64?eA==?="])
    expect(check("string", value, value)).toBe(undefined);
});

test("what is not Base64, or not of UTF-8, is refused", () => {
  const wrong = ["=?base64?*?=", "=?base64?eA?=", "=?base64?eB==?=", "=?base64?e A==?=", "=?base64?_-8=?="];
  for (const header of [...wrong, encoded(Buffer.from([0xff]))]) {
    expect(check("string", "x", header), header).toMatch("The header Mcp-Param-Value is not Base64 of UTF-8");
  }
});

test("an argument that is null, absent or no single value needs no header, and one that is there is passed over", () => {
  for (const value of [undefined, null, {}, [], [1], { a: 1 }, 2 ** 53, -(2 ** 53), 1e300]) {
    for (const header of [undefined, "anything", "=?base64?*?="])
      expect(check("string", value, header)).toBe(undefined);
  }
  expect(checkParamHeaders(region, undefined, {})).toBe(undefined);
});

test("what every object has is not an argument", () => {
  const deep = (name: string) =>
    schemaOf({ [name]: { properties: { name: { type: "string", "x-mcp-header": "X" } } } });
  expect(checkParamHeaders(deep("constructor"), {}, {})).toBe(undefined);
  const length = schemaOf({ list: { properties: { length: { type: "integer", "x-mcp-header": "X" } } } });
  expect(checkParamHeaders(length, { list: [1, 2] }, {})).toBe(undefined);
  expect(checkParamHeaders(length, { list: { length: 2 } }, {})).toMatch("is missing");
  const proto = JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"X"}}}') as JsonObject;
  expect(checkParamHeaders(proto, {}, {})).toBe(undefined);
  expect(checkParamHeaders(proto, JSON.parse('{"__proto__":"a"}') as JsonObject, {})).toMatch("is missing");
});

test("only a schema with annotations requires headers", () => {
  expect(hasParamHeaders(region)).toBe(true);
  expect(hasParamHeaders(schemaOf({ region: { type: "string" } }))).toBe(false);
  expect(hasParamHeaders({})).toBe(false);
  expect(hasParamHeaders(schemaOf({ "x-mcp-header": { type: "string" } }))).toBe(false);
  expect(hasParamHeaders(schemaOf({ a: { type: "string", enum: [{ "x-mcp-header": "A" }] } }))).toBe(false);
});

test("a declaration that breaks a rule of MCP makes all of them invalid, and none is asked for", () => {
  const wrong: readonly Json[] = [
    { type: "string", "x-mcp-header": "" },
    { type: "string", "x-mcp-header": 5 },
    { type: "string", "x-mcp-header": "two words" },
    { type: "string", "x-mcp-header": "line\r\nbreak" },
    { type: "string", "x-mcp-header": "region" },
    { "x-mcp-header": "A" },
    { type: ["string"], "x-mcp-header": "A" },
    { type: "object", "x-mcp-header": "A" },
    { type: "array", items: { type: "string", "x-mcp-header": "A" } },
    { oneOf: [{ type: "string", "x-mcp-header": "A" }] },
    { not: { properties: { a: { type: "string", "x-mcp-header": "A" } } } },
    { patternProperties: { x: { type: "string", "x-mcp-header": "A" } } },
    { $defs: { x: { type: "string", "x-mcp-header": "A" } } },
  ];
  for (const other of wrong) {
    const schema = schemaOf({ region: { type: "string", "x-mcp-header": "Region" }, other });
    expect(hasParamHeaders(schema), JSON.stringify(other)).toBe(false);
    expect(checkParamHeaders(schema, { region: "eu" }, {})).toBe(undefined);
  }
  expect(hasParamHeaders({ ...region, "x-mcp-header": "Root" })).toBe(false);
});

test("where a reference points is not looked at", () => {
  const schema = { ...schemaOf({ self: { $ref: "#" }, other: { $ref: "#/properties/region" } }), $ref: "#" };
  expect(hasParamHeaders(schema)).toBe(false);
});

test("a schema that is deep, wide or strange is read to its end", () => {
  const declared: JsonObject = { type: "string", "x-mcp-header": "Deep" };
  let deep = declared;
  let given: Json = "x";
  for (let level = 0; level < 100_000; level++) {
    deep = { properties: { a: deep } };
    given = { a: given };
  }
  expect(checkParamHeaders(deep, given as unknown as JsonObject, {})).toMatch(/^The header Mcp-Param-Deep is missing/);
  expect(checkParamHeaders(deep, given as unknown as JsonObject, {})?.length).toBeLessThan(5000);
  const names = Array.from({ length: 50_000 }, (_, index) => `p${index}`);
  const wide = schemaOf(Object.fromEntries(names.map((name) => [name, { type: "string", "x-mcp-header": name }])));
  expect(checkParamHeaders(wide, { p49999: "x" }, {})).toMatch("Mcp-Param-p49999");
  const odd: Json[] = [
    null,
    5,
    "x",
    [],
    { properties: 5 },
    { properties: [declared] },
    { items: null },
    { $defs: [1] },
  ];
  for (const one of odd) expect(hasParamHeaders(schemaOf({ one }))).toBe(false);
});

test("a schema is read once, however often a tool is called", () => {
  let reads = 0;
  const schema: JsonObject = Object.defineProperty({ type: "object" }, "properties", {
    enumerable: true,
    get: () => (reads++, region["properties"]),
  });
  for (let call = 0; call < 3; call++) {
    expect(hasParamHeaders(schema)).toBe(true);
    expect(checkParamHeaders(schema, { region: "eu" }, {})).toMatch("is missing");
  }
  expect(reads).toBe(1);
});
