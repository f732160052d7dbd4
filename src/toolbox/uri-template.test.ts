import fc from "fast-check";
import { expect, test } from "vitest";
import { matchUriTemplate } from "./uri-template.ts";

test("a template describes the URIs that its variables make, and gives back their values", () => {
  const matches: [string, string, object][] = [
    ["app://{id}", "app://7", { id: "7" }],
    ["app://{a}-{b}.txt", "app://x-y-z.txt", { a: "x", b: "y-z" }],
    ["app://{a}x", "app://xxx", { a: "xx" }],
    ["app://{a}x{b}", "app://xxy", { a: "x", b: "y" }],
    ["{scheme}:rest", "app:rest", { scheme: "app" }],
    ["app://{name}", "app://a%20b%2Fc", { name: "a b/c" }],
    [
      "app://{a}/{__proto__}",
      "app://1/2",
      Object.fromEntries([
        ["a", "1"],
        ["__proto__", "2"],
      ]),
    ],
    ["app://a.b/{id}", "app://a.b/1", { id: "1" }],
    ["app://plain", "app://plain", {}],
  ];
  for (const [template, uri, values] of matches) expect(matchUriTemplate(template, uri)).toEqual(values);
});

test("it describes no others", () => {
  const misses = [
    ["app://{id}", "app://"],
    ["app://{id}", "app://a/b"],
    ["app://{id}", "app://a?b"],
    ["app://{id}", "app://a#b"],
    ["app://{id}", "web://a"],
    ["app://{id}/x", "app://a/xy"],
    ["app://{a}-{b}", "app://ab"],
    ["app://{id}.txt", "app://report.csv"],
    ["app://{id}", "app://%E0%A4%A"],
    ["app://a.b/{id}", "app://aXb/1"],
    ["app://plain", "app://plainer"],
    ["", "app://a"],
  ] as const;
  for (const [template, uri] of misses) expect(matchUriTemplate(template, uri)).toBeUndefined();
});

test("whatever the template and the URI, there is an answer, also for long ones made to take time", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (template, uri) => {
      matchUriTemplate(template, uri);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 5 }), (values) => {
      const template = `app://${values.map((_, index) => `{v${index}}`).join("/")}`;
      const uri = `app://${values.map(encodeURIComponent).join("/")}`;
      expect(matchUriTemplate(template, uri)).toEqual(
        Object.fromEntries(values.map((value, index) => [`v${index}`, value])),
      );
    }),
  );
  const many = 20_000;
  expect(matchUriTemplate(`${"{a}b".repeat(many)}c`, "b".repeat(2 * many))).toBeUndefined();
  expect(matchUriTemplate("{".repeat(many), "{".repeat(many))).toEqual({});
  expect(matchUriTemplate(`${"{a".repeat(many)}`, "b")).toBeUndefined();
});
