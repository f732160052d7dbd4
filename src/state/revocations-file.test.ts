import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openState } from "./open-state.ts";
import type { State } from "./open-state.ts";
import { createTemporaryFolder } from "./processes.test-helper.ts";
import type { TemporaryFolder } from "./processes.test-helper.ts";

let folder: TemporaryFolder;
let state: State;
const path = () => join(folder.path, "revoked.json");

beforeEach(() => {
  folder = createTemporaryFolder();
  state = openState(folder.path);
});
afterEach(() => {
  state.close();
  folder.remove();
});

test("revocations are kept, each once; of a subject the latest time counts; what is taken back is gone", () => {
  expect(state.revocations()).toEqual({ ids: new Set(), subjects: new Map() });
  expect([state.revoke({ id: "one" }), state.revoke({ id: "one" }), state.revoke({ id: "__proto__" })]).toEqual([
    true,
    false,
    true,
  ]);
  const until = (notBefore: number) => state.revoke({ subject: "ann", notBefore });
  expect([until(5000), until(4000), until(6000)]).toEqual([true, false, true]);
  const other = openState(folder.path);
  expect(other.revocations()).toEqual({ ids: new Set(["one", "__proto__"]), subjects: new Map([["ann", 6000]]) });
  expect([other.unrevoke({ id: "one" }), other.unrevoke({ id: "one" })]).toEqual([true, false]);
  expect([other.unrevoke({ subject: "ann" }), other.unrevoke({ subject: "bob" })]).toEqual([true, false]);
  expect(state.revocations()).toEqual({ ids: new Set(["__proto__"]), subjects: new Map() });
});

test("what another process revokes is noticed", async () => {
  const heard = vi.fn<() => void>();
  state.onChange(heard);
  openState(folder.path).revoke({ id: "one" });
  await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), 1000);
});

test("a file of revocations that cannot be read as one is an error that names it, and is never overwritten", () => {
  const broken = [
    "{",
    "[]",
    '{"tokens":{}}',
    '{"tokens":["one"]}',
    '{"tokens":[{"id":7}]}',
    '{"subjects":[{"subject":"ann"}]}',
    '{"subjects":[{"subject":"ann","notBefore":"soon"}]}',
  ];
  for (const text of broken) {
    writeFileSync(path(), text);
    expect(() => state.revocations(), text).toThrow(path());
    expect(() => state.revoke({ id: "one" }), text).toThrow(path());
    expect(readFileSync(path(), "utf8")).toBe(text);
  }
});

test("beyond ten thousand revocations none is added, and the error says what to do", () => {
  const tokens = Array.from({ length: 10_000 }, (_, index) => ({ id: `id-${index}` }));
  writeFileSync(path(), JSON.stringify({ tokens }));
  expect(() => state.revoke({ id: "one" })).toThrow("npx pagewire token revoke --list");
  expect(state.revoke({ id: "id-0" })).toBe(false);
  expect(state.unrevoke({ id: "id-0" })).toBe(true);
  expect(state.revoke({ id: "one" })).toBe(true);
});
