import fc from "fast-check";
import { expect, test } from "vitest";
import { findRule, whyNever, fitsPattern } from "./policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import type { PolicySubject } from "./policy.ts";

const call: PolicySubject = {
  principal: "ada",
  agent: "claude-code",
  door: "mcp",
  origin: "https://shop.example",
  app: "shop",
  tool: "delete_order",
};

/** The label of the rule that decides on a call, with rules of these conditions. */
function labelFor(rules: readonly object[], subject: Partial<PolicySubject> = {}): string | undefined {
  const policy = parsePolicy(JSON.stringify({ rules: rules.map((rule) => ({ decision: "deny", ...rule })) }));
  return findRule(policy, { ...call, ...subject })?.label;
}

test("PO1: the first rule that matches decides; without one there is none", () => {
  expect(labelFor([{ tool: "other" }, { tool: "delete_*" }, {}])).toBe("rule 2");
  expect(labelFor([{ tool: "other" }])).toBeUndefined();
  expect(labelFor([])).toBeUndefined();
  expect(labelFor([{}])).toBe("rule 1");
});

test("PO1: each condition, and lists", () => {
  const fields = ["principal", "agent", "door", "origin", "app", "tool"] as const;
  for (const field of fields) {
    expect(labelFor([{ [field]: call[field] }]), field).toBe("rule 1");
    expect(labelFor([{ [field]: [call[field]] }]), field).toBe("rule 1");
    const other = { door: "http", origin: "https://bank.example" }[field as string] ?? "other";
    expect(labelFor([{ [field]: other }]), field).toBeUndefined();
    expect(labelFor([{ [field]: [other, call[field]] }]), field).toBe("rule 1");
  }
  expect(labelFor([{ agent: "claude-*", tool: "read_*" }])).toBeUndefined();
});

test("PO1: a group fits a principal that is in one such group", () => {
  const groups = ["staff", "ops-night"];
  for (const group of ["staff", "ops-*", ["x", "ops-night"], "*"])
    expect(labelFor([{ group }], { groups })).toBe("rule 1");
  for (const group of ["sta", "ops", ["x"]]) expect(labelFor([{ group }], { groups })).toBeUndefined();
  for (const none of [undefined, []]) expect(labelFor([{ group: "*" }], { groups: none })).toBeUndefined();
});

test("PO1: a missing field matches no condition: a resource no tool, the hub's own tool no origin", () => {
  expect(labelFor([{ tool: "*" }], { tool: undefined })).toBeUndefined();
  expect(labelFor([{ annotations: { readOnlyHint: false } }], { tool: undefined })).toBeUndefined();
  expect(labelFor([{ origin: "*" }], { origin: undefined, app: undefined })).toBeUndefined();
  expect(labelFor([{ agent: "*" }], { tool: undefined, origin: undefined })).toBe("rule 1");
});

test("PO1: a missing hint has MCP's default: a tool writes, and may destroy", () => {
  const hints = (annotations: object, said: object | undefined) =>
    labelFor([{ annotations }], { annotations: said as PolicySubject["annotations"] }) !== undefined;
  expect(hints({ readOnlyHint: true }, undefined)).toBe(false);
  expect(hints({ readOnlyHint: false }, undefined)).toBe(true);
  expect(hints({ readOnlyHint: true }, { readOnlyHint: true })).toBe(true);
  expect(hints({ readOnlyHint: true }, { readOnlyHint: "true" })).toBe(false);
  expect(hints({ destructiveHint: true }, {})).toBe(true);
  expect(hints({ destructiveHint: true }, { destructiveHint: false })).toBe(false);
  expect(hints({ destructiveHint: true }, { readOnlyHint: true, destructiveHint: true })).toBe(false);
  expect(hints({ openWorldHint: true, idempotentHint: false }, {})).toBe(true);
});

test("PO5: a star matches any characters, and everything else only itself", () => {
  const fits = [
    ["*", ""],
    ["*", "delete_order"],
    ["delete_*", "delete_"],
    ["*_order", "delete_order"],
    ["d*e*r", "delete_order"],
    ["a.c", "a.c"],
    ["**", "x"],
  ] as const;
  const others = [
    ["", "x"],
    ["delete_*", "undelete_x"],
    ["*_order", "delete_orders"],
    ["a.c", "abc"],
    ["a?c", "abc"],
    ["[ab]", "a"],
    ["Delete_*", "delete_x"],
  ] as const;
  for (const [pattern, text] of fits) expect(fitsPattern(text, pattern), pattern).toBe(true);
  for (const [pattern, text] of others) expect(fitsPattern(text, pattern), pattern).toBe(false);
});

test("PO5: a pattern matches what the equivalent regular expression matches", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 6 });
  fc.assert(
    fc.property(text, pattern, (given, star) => {
      const expression = star
        .split("*")
        .map((part) => part.replaceAll(".", "\\."))
        .join("[^]*");
      expect(fitsPattern(given, star)).toBe(new RegExp(`^${expression}$`).test(given));
    }),
    { numRuns: 1000 },
  );
});

test("PO5: an origin's pattern matches its subdomains or its ports, and no other hosts", () => {
  const fits = (origin: string, pattern: string) => labelFor([{ origin: pattern }], { origin }) !== undefined;
  expect(fits("https://a.shop.example", "https://*.shop.example")).toBe(true);
  expect(fits("https://shop.example", "https://*.shop.example")).toBe(false);
  expect(fits("https://shop.example.evil.com", "https://*.shop.example")).toBe(false);
  expect(fits("https://evilshop.example", "https://*.shop.example")).toBe(false);
  expect(fits("http://localhost:5173", "http://localhost:*")).toBe(true);
  expect(fits("http://localhost.evil.com:1", "http://localhost:*")).toBe(false);
  expect(fits("https://shop.example", "https://shop.example")).toBe(true);
  expect(fits("http://[::1]:80", "http://[::1]:*")).toBe(true);
});

test.each([
  ["{}", '{"tool":"pay"}', "rule 1 stands before it and fits all that it fits"],
  ['{"tool":"*"}', '{"tool":["pay","p*"],"origin":"https://a.example"}', "rule 1 stands before it"],
  ['{"origin":"https://*.a.example","rate":"1/hour"}', '{"origin":"https://b.a.example"}', "rule 1 stands before it"],
  ['{"annotations":{"readOnlyHint":true}}', '{"annotations":{"readOnlyHint":true},"tool":"x"}', "rule 1 stands"],
  ["{}", '{"annotations":{"readOnlyHint":true,"destructiveHint":true}}', "a tool that only reads"],
  ['{"tool":"p?y"}', '{"tool":"pay"}', undefined],
  ['{"tool":"pay"}', '{"tool":"p*"}', undefined],
  ['{"tool":"pay"}', "{}", undefined],
  ['{"tool":"pay"}', '{"tool":["pay","get"]}', undefined],
  ['{"annotations":{"readOnlyHint":true}}', '{"annotations":{"readOnlyHint":false}}', undefined],
  ['{"annotations":{"readOnlyHint":true}}', '{"tool":"pay"}', undefined],
])("after %s it is known of %s whether it ever decides, and why not", (first, second, why) => {
  const rule = (text: string) => text.replace(/}$/, `${text === "{}" ? "" : ","}"decision":"allow"}`);
  const policy = parsePolicy(`{"rules":[${rule(first)},${rule(second)}]}`);
  const [, last] = policy.rules;
  const found = last && whyNever(policy, last);
  expect(found === undefined ? found : found.startsWith(why ?? "never")).toBe(why === undefined ? undefined : true);
});
