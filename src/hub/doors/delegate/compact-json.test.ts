import fc from "fast-check";
import { expect, test } from "vitest";
import { membersOf } from "./compact-json.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, deepest = 64) => {
  const members = membersOf(bytes(text), deepest);
  return members && Object.fromEntries([...members].map(([name, value]) => [name, new TextDecoder().decode(value)]));
};

const changes = Array.from('{}[]",:0123.eE+-\\utrflsan \n\r\t\u0001\u00e9');
const plainName = fc.stringMatching(/^\w{1,20}$/).filter((name) => name !== "__proto__");

test("the members of any JSON.stringify output are found, each as JSON.stringify would write it alone", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(plainName, fc.jsonValue())), (entries) => {
      const value = Object.fromEntries(entries);
      const text = JSON.stringify(value);
      const written = Object.entries(value).map(([name, part]) => [name, JSON.stringify(part)]);
      // Numbers with a long exponent are left to the real parser.
      expect(read(text)).toEqual(/\de[+-]\d{3}/.test(text) ? undefined : Object.fromEntries(written));
    }),
    { numRuns: 500 },
  );
});

test("every member found in changed input is JSON that all parsers read alike", () => {
  const change = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...changes));
  let found = 0;
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(change, { maxLength: 4 }), (value, made) => {
      let text = JSON.stringify({ content: [], structuredContent: value });
      for (const [where, length, by] of made) {
        const at = where % (text.length + 1);
        text = text.slice(0, at) + by + text.slice(at + length);
      }
      const members = read(text);
      if (!members) return;
      found++;
      expect(text).not.toMatch(/[\n\r]/);
      const whole = JSON.parse(text) as Record<string, unknown>;
      expect(Object.keys(members).sort()).toEqual(Object.keys(whole).sort());
      for (const [name, part] of Object.entries(members)) expect(JSON.parse(part)).toEqual(whole[name]);
    }),
    { numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(100);
});

test.each([
  ...["", "{", "}", "[]", '"text"', "null", "7", "{}x", '{"a":1}{"b":2}', '{"a":1},', '{,"a":1}', '{"a":1,}', '{"a"}'],
  ...[
    '{"a":1 }',
    '{ "a":1}',
    '{"a": 1}',
    '{"a":\n1}',
    '\ufeff{"a":1}',
    '{"a":[1,]}',
    '{"a":[}',
    '{"a":{]}',
    '{"a":(1)}',
  ],
  ...['{"a":01}', '{"a":-}', '{"a":1.}', '{"a":.5}', '{"a":1e}', '{"a":1e999}', '{"a":+1}', '{"a":NaN}', '{"a":tru}'],
  ...[
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"\\u12',
    '{"a":"',
    '{"a":"\\',
    '{"a":1,"a":2}',
    '{"\\u0061":1}',
  ],
  `{"a":${"1".repeat(400)}}`,
])("%j is left to a reader that says what is wrong with it", (text) => {
  expect(read(text)).toBeUndefined();
});

test("what nests no deeper than allowed is read, and what nests deeper is not", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  expect(read(nested(64))).toEqual({ a: `${"[".repeat(63)}${"]".repeat(63)}` });
  expect(read(nested(65))).toBeUndefined();
});
