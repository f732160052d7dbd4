import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { routes } from "./routes.ts";

const folder = new URL("../../../docs/reference/", import.meta.url);
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));
const reference = pages.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");

test("each route of the HTTP API is in the reference", () => {
  const missing = routes.filter(({ method, path }) => {
    if (!path.startsWith("/api/")) return false;
    // The reference names the last part of a path that ends with "*".
    const pattern = path.endsWith("*") ? path.replace("*", "[<\\w]") : `${path}(?![\\w/-])`;
    return !new RegExp(`${method} ${pattern}`).test(reference);
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
