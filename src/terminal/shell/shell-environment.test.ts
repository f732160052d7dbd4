import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findShell, homeDirectory } from "./shell-environment.ts";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-shell-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the user's shell is used unless it is a placeholder that prevents logins", () => {
  const folder = createFolder();
  for (const name of ["fish", "nologin", "plain"]) writeFileSync(join(folder, name), "");
  for (const name of ["fish", "nologin"]) chmodSync(join(folder, name), 0o755);
  expect(findShell(undefined, join(folder, "fish"))).toBe(join(folder, "fish"));
  for (const other of [
    join(folder, "nologin"),
    join(folder, "plain"),
    folder,
    "/nowhere/bash",
    "bash",
    "",
    undefined,
  ]) {
    expect(findShell(undefined, other)).toMatch(/^\/bin\/(bash|sh)$/);
  }
  expect(() => findShell(join(folder, "plain"), "/bin/sh")).toThrow("is not a program that can be run");
});

test("the directory is $HOME, else that of the system; if it does not exist, the root", () => {
  const folder = createFolder();
  expect(homeDirectory(folder)).toBe(folder);
  expect(homeDirectory(join(folder, "gone"))).toBe("/");
  expect(homeDirectory(undefined)).toBe(userInfo().homedir);
});
