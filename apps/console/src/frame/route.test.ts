import { expect, test } from "vitest";
import { href, parseRoute } from "./route.ts";

test("a link leads to its place with any text in its parts", () => {
  const [path, tool] = ["now/../?#", "100 % of\nthem"];
  const route = parseRoute(href(["try", path, tool], { outcome: "ok & more", search: undefined }));
  expect(route?.path).toEqual(["try", path, tool]);
  expect([...(route?.query ?? [])]).toEqual([["outcome", "ok & more"]]);
});

test("a fragment that is none of the console's is no place, and a malformed one is taken as it is", () => {
  expect(parseRoute("#code=abcdefgh")).toBeUndefined();
  expect(parseRoute("")).toBeUndefined();
  expect(parseRoute("#/now/%E0%A4%A/x")?.path).toEqual(["now", "%E0%A4%A", "x"]);
});
