import { render } from "preact";
import type { ComponentChild } from "preact";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import { applyTheme } from "../../../common/src/theme.ts";

export const storage = createSafeStorage(() => localStorage);

/** Shows a page of the extension in its place. */
export function show(page: ComponentChild): void {
  const root = document.getElementById("app") ?? document.body;
  applyTheme(storage);
  root.replaceChildren();
  render(page, root);
}
