import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCachedFile, edited } from "./cached-file.ts";
import type { CachedFile } from "./cached-file.ts";
import { createTemporaryFolder } from "./processes.test-helper.ts";
import type { TemporaryFolder } from "./processes.test-helper.ts";

let folder: TemporaryFolder;
let path: string;
let time = 0;
let file: CachedFile<string>;

beforeEach(() => {
  folder = createTemporaryFolder();
  path = join(folder.path, "rules.json");
  time = 1000;
  const parse = (text: string) => {
    if (text === "broken") throw new Error("This is broken.");
    return text;
  };
  file = createCachedFile(path, parse, { ...edited, now: () => time });
});
afterEach(() => folder.remove());

test("a file that an editor takes away before it puts the new one there is not gone meanwhile", () => {
  writeFileSync(path, "old");
  const [before, signature] = [file.read(), file.signature()];
  renameSync(path, `${path}~`);
  expect([before, file.read(), file.signature() === signature]).toEqual(["old", "old", true]);
  time += 499;
  expect([file.read(), file.signature() === signature]).toEqual(["old", true]);
  writeFileSync(path, "new");
  expect([file.read(), file.signature() === signature]).toEqual(["new", false]);
  rmSync(path);
  expect(file.read()).toBe("new");
  time += 499;
  expect(file.read()).toBe("new");
});

test("a file that stays away is gone half a second later, and its signature another one", () => {
  writeFileSync(path, "old");
  const [, signature] = [file.read(), file.signature()];
  rmSync(path);
  expect(file.signature()).toBe(signature);
  time += 500;
  expect(file.signature()).toBe("");
  expect(file.read()).toBeUndefined();
});

test("what cannot be used takes nothing away when it is taken away, and a file that was removed here is gone at once", () => {
  writeFileSync(path, "old");
  expect(file.read()).toBe("old");
  writeFileSync(path, "broken");
  expect(() => file.read()).toThrow("This is broken.");
  rmSync(path);
  expect(file.read()).toBe("old");
  file.forget();
  expect([file.read(), file.signature()]).toEqual([undefined, ""]);
});

test.each([
  ["a folder", () => mkdirSync(path)],
  ["a link to what never ends", () => symlinkSync("/dev/zero", path)],
])("%s in the place of a file is refused by its name, and not waited for", (_, make) => {
  make();
  expect(() => file.read()).toThrow(`The state directory cannot be read: ${path} is no file.`);
});

test("a file that is larger than any may be is refused by its name before it is read", () => {
  writeFileSync(path, "");
  truncateSync(path, 16 * 1024 * 1024 + 1);
  expect(() => file.read()).toThrow(`The state directory cannot be read: ${path} has more than 16777216 bytes.`);
});
