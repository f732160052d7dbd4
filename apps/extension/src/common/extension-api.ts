import type { ExtensionApi } from "pagewire/extension";

/** The browser's API for extensions. Firefox has promises in `browser` alone. */
export function extensionApi(): ExtensionApi {
  const { browser, chrome } = globalThis as { readonly browser?: ExtensionApi; readonly chrome?: ExtensionApi };
  const api = browser ?? chrome;
  if (!api) throw new Error("This page works only as a part of the browser extension.");
  return api;
}
