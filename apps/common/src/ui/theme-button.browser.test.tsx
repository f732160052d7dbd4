import { render } from "preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSafeStorage } from "../safe-storage.ts";
import type { SafeStorage } from "../safe-storage.ts";
import { applyTheme } from "../theme.ts";
import type { Theme } from "../theme.ts";
import { ThemeButton } from "./theme-button.tsx";

const storage = createSafeStorage(() => localStorage);

beforeEach(() => localStorage.clear());
afterEach(() => {
  render(null, document.body);
  delete document.documentElement.dataset["theme"];
});

function show(kept: SafeStorage, onChoose: (theme: Theme) => void = () => {}): HTMLButtonElement {
  render(null, document.body);
  render(<ThemeButton storage={kept} onChoose={onChoose} />, document.body);
  const button = document.querySelector("button");
  if (!button) throw new Error("There is no button.");
  return button;
}

test("the theme follows the system until the user chooses one, which is stored", () => {
  const onChoose = vi.fn<(theme: Theme) => void>();
  const button = show(storage, onChoose);
  expect(document.documentElement.dataset["theme"]).toBeUndefined();
  const toDark = button.ariaLabel?.includes("dark") === true;
  button.click();
  expect(onChoose).toHaveBeenCalledExactlyOnceWith(toDark ? "dark" : "light");
  expect(document.documentElement.dataset["theme"]).toBe(toDark ? "dark" : "light");
  delete document.documentElement.dataset["theme"];
  applyTheme(storage);
  expect(show(storage).ariaLabel).toContain(toDark ? "light" : "dark");
  expect(document.documentElement.dataset["theme"]).toBe(toDark ? "dark" : "light");
});

test("where the browser keeps nothing the choice holds for the document", () => {
  const refusing = createSafeStorage(() => {
    throw new DOMException("No", "SecurityError");
  });
  show(refusing).click();
  expect(refusing.write("a", "b")).toBe(false);
  expect([refusing.read("a"), refusing.read("never")]).toEqual(["b", undefined]);
  refusing.write("a", undefined);
  expect(refusing.read("a")).toBeUndefined();
});
