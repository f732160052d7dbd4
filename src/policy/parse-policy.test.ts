import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLocatedJson } from "./located-json.ts";
import type { LocatedJson } from "./located-json.ts";
import { parsePolicy } from "./parse-policy.ts";

function valueOf(json: LocatedJson): unknown {
  switch (json.kind) {
    case "object":
      return Object.fromEntries([...json.members].map(([name, { value }]) => [name, valueOf(value)]));
    case "list":
      return json.items.map(valueOf);
    default:
      return json.value;
  }
}

test("PO6: JSON is parsed as by every parser, in any layout", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(valueOf(parseLocatedJson(text, 100))).toEqual(JSON.parse(text));
    }),
  );
});

test("PO6: text that JSON.parse refuses is refused", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\ 01-.etrufalsn\n')) }), (text) => {
      const read = (parse: () => unknown) => {
        try {
          parse();
          return true;
        } catch {
          return false;
        }
      };
      // Only a duplicate name is refused in addition.
      expect(!read(() => parseLocatedJson(text, 100)) || read(() => JSON.parse(text))).toBe(true);
    }),
  );
});

test("PO6: a policy has rules with names, conditions, decisions, rates and reasons", () => {
  const text = `{
    "rules": [
      { "name": "no-deletes", "tool": ["delete_*", "drop_*"], "decision": "deny", "reason": "Ask Ada." },
      { "origin": "https://*.shop.example", "annotations": { "readOnlyHint": true }, "decision": "allow", "rate": "30/minute" }
    ]
  }`;
  expect(parsePolicy(text).rules).toEqual([
    {
      label: "no-deletes",
      decision: "deny",
      when: { tool: ["delete_*", "drop_*"] },
      annotations: {},
      rate: undefined,
      reason: "Ask Ada.",
    },
    {
      label: "rule 2",
      decision: "allow",
      when: { origin: ["https://*.shop.example"] },
      annotations: { readOnlyHint: true },
      rate: { calls: 30, milliseconds: 60_000, text: "30/minute" },
      reason: undefined,
    },
  ]);
  const [shared] = parsePolicy('{"rules":[{"rate":"5/day together","decision":"ask"}]}').rules;
  expect(shared?.rate).toEqual({ calls: 5, milliseconds: 86_400_000, text: "5/day together", isShared: true });
  expect(parsePolicy('{"rules":[]}').rules).toEqual([]);
  expect(parsePolicy('\uFEFF{"rules":[]}\n').rules).toEqual([]);
});

test.each([
  ["", "line 1, column 1: Here a value should be."],
  ["[]", "line 1, column 1: Here an object should be"],
  ["{}", 'line 1, column 1: There is no "rules"'],
  ['{"rules":[]} x', "line 1, column 14: Here the file should end."],
  ['{\n  "rules": [\n    { "decision": "deny", }\n  ]\n}', "line 3, column 27: Here a name in double quotes should be"],
  ['{"rules":[{"decision":"deny"}}', 'line 1, column 30: Here "," or "]" should be.'],
  ['{"rules":[{"decision":"deny}]}', "line 1, column 23: This text has no end"],
  ['{"rules":[{"decision" "deny"}]}', 'line 1, column 23: Here ":" should be.'],
  [`{"rules":${"[".repeat(20)}`, "nests too deep"],
  ['{"rules":[],"rule":[]}', 'line 1, column 13: "rule" means nothing here. Known are: rules'],
  ['{"rules":[],"rules":[]}', '"rules" stands here a second time'],
  ['{"rules":[\n{"origins":"*","decision":"deny"}]}', 'line 2, column 2: "origins" means nothing here'],
  ['{"rules":[{"tool":"x"}]}', 'line 1, column 11: This rule has no "decision"'],
  ['{"rules":[{"decision":"Deny"}]}', 'line 1, column 23: A "decision" is "allow", "ask" or "deny".'],
  ['{"rules":[{"tool":"","decision":"deny"}]}', '"tool" must have 1 to 256 characters'],
  ['{"rules":[{"tool":[],"decision":"deny"}]}', '"tool" must name something'],
  ['{"rules":[{"tool":[7],"decision":"deny"}]}', 'column 20: "tool" must be a text'],
  ['{"rules":[{"door":"web","decision":"deny"}]}', 'There is no door "web"'],
  ['{"rules":[{"rate":"30/fortnight","decision":"ask"}]}', 'A "rate" is written as 30/minute'],
  ['{"rules":[{"rate":"0/day","decision":"ask"}]}', 'A "rate" is written as 30/minute'],
  ['{"rules":[{"rate":"1/toString","decision":"ask"}]}', 'A "rate" is written as 30/minute'],
  ['{"rules":[{"rate":"30/day","decision":"deny"}]}', 'leave out "rate"'],
  ['{"rules":[{"annotations":{"readOnly":true},"decision":"ask"}]}', '"readOnly" means nothing here'],
  ['{"rules":[{"annotations":{"readOnlyHint":"yes"},"decision":"ask"}]}', "must be true or false"],
  ['{"rules":[{"name":"two words","decision":"ask"}]}', 'A "name" has letters'],
  ['{"rules":[{"name":"a","decision":"ask"},{"name":"a","decision":"ask"}]}', 'Two rules have the name "a"'],
])("PO6: %j is refused, with its place", (text, message) => {
  expect(() => parsePolicy(text)).toThrow(
    expect.objectContaining({ code: "options-invalid", message: expect.stringContaining(message) }),
  );
});

test.each([
  "https://shop.example/",
  "https://SHOP.example",
  "https://shop.example:443",
  "http://shop.example:80",
  "shop.example",
  "https://shop.*",
  "https://*shop.example",
  "https://shop.example*",
  "https://a.*.example",
  "https://*",
  "null",
])("PO5: %s is no origin, and no pattern of one that could let in others", (origin) => {
  const text = JSON.stringify({ rules: [{ origin, decision: "allow" }] });
  expect(() => parsePolicy(text)).toThrow("is no origin as browsers send it");
});
