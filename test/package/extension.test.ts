import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const extension = fileURLToPath(new URL("../../dist/extension/", import.meta.url));
const linter = join(dirname(createRequire(import.meta.url).resolve("addons-linter/package.json")), "bin/addons-linter");

test("Mozilla's linter finds nothing in the extension for Firefox", async () => {
  const { stdout } = await run(process.execPath, [linter, "--output", "json", join(extension, "firefox")]);
  const { errors, warnings, notices } = JSON.parse(stdout) as Record<"errors" | "warnings" | "notices", unknown[]>;
  expect({ errors, warnings, notices }).toEqual({ errors: [], warnings: [], notices: [] });
});

test.each(["chrome", "firefox"])("the extension for %s asks for the permissions that are documented", (browser) => {
  const manifest = JSON.parse(readFileSync(join(extension, browser, "manifest.json"), "utf8")) as {
    readonly permissions: readonly string[];
    readonly optional_host_permissions: readonly string[];
  };
  const asked = [...manifest.permissions, ...manifest.optional_host_permissions];
  const documented = readFileSync(new URL("../../docs/extension/permissions.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(new Set(asked)).toEqual(new Set(documented));
  expect(Object.keys(manifest)).not.toContain("host_permissions");
});
