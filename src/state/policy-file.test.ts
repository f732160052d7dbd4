import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openState } from "./open-state.ts";
import type { State } from "./open-state.ts";
import { createTemporaryFolder } from "./processes.test-helper.ts";
import type { TemporaryFolder } from "./processes.test-helper.ts";

let folder: TemporaryFolder;
let directory: string;
let state: State;

beforeEach(() => {
  folder = createTemporaryFolder();
  directory = join(folder.path, "pagewire");
  state = openState(directory);
});

afterEach(() => {
  state.close();
  folder.remove();
});

const pathOf = (name: string) => join(directory, name);
const modeOf = (path: string) => statSync(path).mode & 0o777;

test("the policy is what the file says, which is written whole, for its owner alone", () => {
  expect(state.policy()).toBeUndefined();
  state.setPolicy('{"rules":[{"tool":"pay","decision":"ask"}]}');
  expect(state.policy()?.rules).toMatchObject([{ label: "rule 1", when: { tool: ["pay"] } }]);
  expect([readFileSync(pathOf("policy.json"), "utf8").at(-1), modeOf(pathOf("policy.json"))]).toEqual(["\n", 0o600]);
  expect([state.removePolicy(), state.removePolicy(), state.policy()]).toEqual([true, false, undefined]);
});

test("a policy that cannot be used is refused with its place, and is neither written nor taken for none", () => {
  state.setPolicy('{"rules":[]}');
  expect(() => state.setPolicy('{"rules":\n[7]}')).toThrow("This policy cannot be used: line 2, column 2:");
  expect(state.policy()).toEqual({ rules: [], pin: [] });
  writeFileSync(pathOf("policy.json"), "{");
  expect(() => state.policy()).toThrow(`The file ${pathOf("policy.json")} cannot be used: line 1, column 2:`);
});

test("a change of the policy by another process is noticed", async () => {
  const changed = new Promise<void>((resolve) => void state.onChange(resolve));
  openState(directory).setPolicy('{"rules":[]}');
  await changed;
});
