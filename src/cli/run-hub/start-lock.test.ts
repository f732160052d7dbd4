import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeStartLock } from "./hub-starter.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pagewire-lock-"));
  path = join(folder, "hub-start.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("one process at a time may start a hub", () => {
  const giveBack = takeStartLock(folder);
  expect(giveBack).toBeDefined();
  expect(takeStartLock(folder)).toBeUndefined();
  giveBack?.();
  giveBack?.();
  expect(readdirSync(folder)).toEqual([]);
  expect(takeStartLock(folder)).toBeDefined();
});

test("a start that was killed does not block the next", () => {
  const { pid } = spawnSync(process.execPath, ["--eval", ""]);
  writeFileSync(path, JSON.stringify({ pid }));
  expect(takeStartLock(folder)).toBeDefined();
});

test("a lock is free when its process has exited and another has its id", () => {
  writeFileSync(path, JSON.stringify({ pid: process.ppid, started: "at another time" }));
  expect(takeStartLock(folder)).toBeDefined();
});

test("a process that lost the lock does not release another's", () => {
  const giveBack = takeStartLock(folder);
  writeFileSync(path, "1\n");
  giveBack?.();
  expect(readdirSync(folder)).toEqual(["hub-start.lock"]);
});
