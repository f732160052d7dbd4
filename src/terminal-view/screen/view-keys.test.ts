import { expect, test } from "vitest";
import { keyOf } from "./view-keys.ts";

const press = (keys: string, isMac = false) => {
  const parts = keys.split("+");
  // The plus key itself.
  const key = keys.endsWith("++") ? "+" : (parts.at(-1) ?? "");
  const has = (name: string) => parts.includes(name);
  const held = { ctrlKey: has("Ctrl"), metaKey: has("Cmd"), altKey: has("Alt"), shiftKey: has("Shift") };
  return keyOf({ key, ...held }, isMac);
};

test("Ctrl+Shift+C and V copy and paste, and Ctrl+C goes to the shell", () => {
  expect([press("Ctrl+Shift+C"), press("Ctrl+Shift+V")]).toEqual(["copy", "paste"]);
  expect([press("Cmd+c", true), press("Cmd+v", true)]).toEqual(["copy", "paste"]);
  for (const keys of ["Ctrl+c", "Ctrl+v", "Ctrl+d", "Alt+c", "Cmd+c", "c"]) expect(press(keys)).toBeUndefined();
  expect([press("Ctrl+c", true), press("Ctrl+Shift+C", true), press("Ctrl+f", true)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("Ctrl+F, or on a Mac Cmd+F, searches", () => {
  expect([press("Ctrl+f"), press("Cmd+f", true)]).toEqual(["search", "search"]);
});

test("Ctrl with plus, minus and zero changes the font size", () => {
  expect([press("Ctrl+Shift++"), press("Ctrl+="), press("Ctrl+-"), press("Ctrl+0")]).toEqual([
    "larger",
    "larger",
    "smaller",
    "normal",
  ]);
  // This is undo in many shells.
  expect(press("Ctrl+Shift+_")).toBeUndefined();
});

test("Ctrl+Shift+M lets Tab leave the terminal", () => {
  expect(press("Ctrl+Shift+M", true)).toBe("let-tab-leave");
  expect([press("Ctrl+Shift+M"), press("Tab"), press("Shift+Tab"), press("Ctrl+Tab")]).toEqual([
    "let-tab-leave",
    "tab",
    "tab",
    undefined,
  ]);
});
