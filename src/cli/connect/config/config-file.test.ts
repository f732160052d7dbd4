import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfigFile, realPathOf, replaceConfigFile } from "./config-file.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pagewire-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a file keeps its mode, and no temporary file is left", () => {
  const path = join(folder, "mcp.json");
  writeFileSync(path, "old");
  for (const mode of [0o600, 0o664]) {
    chmodSync(path, mode);
    replaceConfigFile(path, readConfigFile(path), `new ${mode}`);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([`new ${mode}`, mode]);
  }
  expect(readdirSync(folder)).toEqual(["mcp.json"]);
});

test("missing folders of a file are created", () => {
  const path = join(folder, "a", "b", "mcp.json");
  replaceConfigFile(path, undefined, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("a link stays a link, even one that leads through others to a missing file", () => {
  mkdirSync(join(folder, "dotfiles", "deep"), { recursive: true });
  symlinkSync("dotfiles/deep", join(folder, "short"));
  symlinkSync("../other.json", join(folder, "dotfiles", "deep", "link.json"));
  const path = join(folder, "mcp.json");
  symlinkSync("short/link.json", path);
  for (const text of ["first", "second"]) {
    replaceConfigFile(realPathOf(path), readConfigFile(path), text);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "dotfiles", "other.json"), "utf8")).toBe(text);
  }
  expect(existsSync(join(folder, "other.json"))).toBe(false);
});

test("a file that another program changes in the meantime is not written", () => {
  const path = join(folder, "mcp.json");
  writeFileSync(path, "old");
  const before = readConfigFile(path);
  writeFileSync(path, "theirs");
  expect(() => replaceConfigFile(path, before, "new")).toThrow("another program has just changed it; try again");
  expect(readFileSync(path, "utf8")).toBe("theirs");
  expect(readdirSync(folder)).toEqual(["mcp.json"]);
});

test("a path that is no readable text file is refused by name", () => {
  const path = join(folder, "mcp.json");
  writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
  expect(() => readConfigFile(path)).toThrow(`The file ${path} cannot be read`);
  expect(() => readConfigFile(folder)).toThrow(`The file ${folder} cannot be read`);
  const below = join(path, "mcp.json");
  expect(() => replaceConfigFile(below, undefined, "new")).toThrow(`The file ${below} cannot be written`);
  const circle = join(folder, "circle.json");
  symlinkSync("circle.json", circle);
  expect(() => realPathOf(circle)).toThrow(`The links of ${circle} lead nowhere.`);
  expect(readFileSync(path)).toEqual(Buffer.from([0x7b, 0xff, 0x7d]));
});
