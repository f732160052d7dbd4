import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";

/** Makes one package unresolvable, as if it were not installed. */
const hideApi = `
export function resolve(specifier, context, next) {
  if (specifier !== "@opentelemetry/api") return next(specifier, context);
  throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
}`;
const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const register = asUrl(`import { register } from "node:module"; register(${JSON.stringify(asUrl(hideApi))});`);

test("without the package a hub starts without a warning and passes traces on", async () => {
  const outfile = fileURLToPath(new URL("../../../.cache/without-api.test-program.mjs", import.meta.url));
  const entryPoints = [fileURLToPath(new URL("test-support/without-api.test-program.ts", import.meta.url))];
  await build({ entryPoints, outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", register, outfile]);
  expect(stdout).toBe("200 true missing\n");
});
