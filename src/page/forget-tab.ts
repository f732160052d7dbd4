import { browserTab } from "./browser/browser-tab.ts";

/** Gives this tab another id from its next document on. */
export function forgetTab(): void {
  browserTab().storage.set("tab", "");
}
