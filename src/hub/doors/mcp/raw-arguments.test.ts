import fc from "fast-check";
import { expect, test } from "vitest";
import { rawArguments } from "./raw-arguments.ts";

const raw = (text: string) => rawArguments(Buffer.from(text))?.toString();

/** The arguments according to a parser; undefined if they are not an object. */
function parsed(text: string): unknown {
  const { params } = JSON.parse(text) as { params?: { arguments?: unknown } };
  const given = params?.arguments;
  return typeof given === "object" && given !== null && !Array.isArray(given) ? given : undefined;
}

test("M15: the arguments that are passed on as they came are those that a parser finds", () => {
  const names = fc.constantFrom("params", "arguments", "name", "a", 'q"uote', "back\\slash", "ä語", "{[");
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(names, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(names, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  const message = fc.record({ params: fc.record({ arguments: tree, name: tree }), arguments: tree, a: tree });
  fc.assert(
    fc.property(message, fc.constantFrom(0, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const found = raw(text);
      const right = parsed(text);
      // Only a key with an escape may make the result undefined.
      const mayBeHidden = found === undefined && (right === undefined || text.includes("\\"));
      expect(mayBeHidden || right === undefined || JSON.stringify(JSON.parse(found ?? ""))).toBe(
        mayBeHidden || right === undefined || JSON.stringify(right),
      );
    }),
    { numRuns: 2000 },
  );
});

test("of arguments that are there twice the last ones are passed on", () => {
  expect(raw('{"params":{"arguments":{"a":1},"arguments":{"b":2}}}')).toBe('{"b":2}');
  expect(raw('{"params":{"arguments":{"a":1}},"params":{"x":1}}')).toBeUndefined();
  expect(raw('{"params":{"arguments":{"a":1}},"params":{"arguments":{"b":2}}}')).toBe('{"b":2}');
  // To a parser these two keys are equal.
  expect(raw('{"params":{"arguments":{"a":1},"\\u0061rguments":{"b":2}}}')).toBeUndefined();
});
