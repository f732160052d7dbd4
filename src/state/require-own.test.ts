import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openState } from "./open-state.ts";
import type { State } from "./open-state.ts";
import { requireOwn } from "./require-own.ts";
import { createTemporaryFolder } from "./processes.test-helper.ts";
import type { TemporaryFolder } from "./processes.test-helper.ts";

let folder: TemporaryFolder;
let directory: string;
let state: State;
const hub = { url: "http://127.0.0.1:7337", port: 7337, pid: process.pid, version: "1.2.3" };

beforeEach(() => {
  folder = createTemporaryFolder();
  directory = join(folder.path, "state");
  state = openState(directory);
});
afterEach(() => {
  state.close();
  folder.remove();
});

const pathOf = (name: string) => join(directory, name);

test.each([
  [0o777, "Others"],
  [0o702, "Others"],
  [0o770, "Its group"],
  [0o2775, "Its group"],
])("a directory of mode %o is refused by its name, with the way out", (mode, who) => {
  const open = join(folder.path, "open");
  mkdirSync(open);
  chmodSync(open, mode);
  expect(() => openState(open)).toThrow(`${who} can write to the state directory ${open} (mode 0`);
  expect(() => openState(open)).toThrow(`Close it with: chmod 700 "${open}"`);
});

test.skipIf(process.geteuid?.() !== 0)("a directory, and a file in it, of another user are refused by name", () => {
  const other = join(folder.path, "other");
  mkdirSync(other, { mode: 0o700 });
  chownSync(other, 65_534, 65_534);
  expect(() => openState(other)).toThrow(`The state directory ${other} belongs to another user (65534; you are 0)`);
  state.agentToken();
  state.allowOrigin("http://localhost:5173");
  state.announceHub(hub);
  state.setPolicy('{"rules":[]}');
  for (const name of ["token", "origins.json", "hub.json", "policy.json"]) chownSync(pathOf(name), 65_534, 65_534);
  expect(() => openState(directory).policy()).toThrow(`The file ${pathOf("policy.json")} belongs to another user`);
  expect(() => openState(directory).agentToken()).toThrow(`The token file ${pathOf("token")} belongs to another user`);
  expect(() => openState(directory).allowedOrigins()).toThrow(`The file ${pathOf("origins.json")} belongs to another`);
  expect(() => openState(directory).runningHub()).toThrow(`The file ${pathOf("hub.json")} belongs to another user`);
});

test("what others can write to says neither who is allowed, nor what, nor where the hub is", () => {
  state.allowOrigin("http://localhost:5173");
  state.announceHub(hub);
  state.revoke({ id: "one" });
  state.setPolicy('{"rules":[]}');
  for (const name of ["origins.json", "hub.json", "revoked.json", "policy.json"]) chmodSync(pathOf(name), 0o620);
  expect(() => state.policy()).toThrow(`Its group can write to the file ${pathOf("policy.json")} (mode 0620).`);
  expect(() => state.revocations()).toThrow(`Its group can write to the file ${pathOf("revoked.json")} (mode 0620).`);
  expect(() => state.allowedOrigins()).toThrow(
    `Its group can write to the file ${pathOf("origins.json")} (mode 0620).`,
  );
  expect(() => state.runningHub()).toThrow(`Close it with: chmod 600 "${pathOf("hub.json")}"`);
});

test("the rules may be root's file, which no agent of the user can change", () => {
  const rules = { what: "file", path: "/etc/rules.json", mode: "600", mayBeRoots: true } as const;
  expect(() => requireOwn(rules, { uid: 0, mode: 0o644 })).not.toThrow();
  expect(() => requireOwn(rules, { uid: 65_534, mode: 0o644 })).toThrow("belongs to another user");
});
