import type { Sender } from "../browser-api.ts";
import type { Place } from "./grants.ts";

/** The top document of a tab that shows a site, as the browser names it; undefined for all others. */
export function placeOf(sender: Sender | undefined): Place | undefined {
  const { tab, frameId, origin, url, documentId, documentLifecycle = "active" } = sender ?? {};
  if (tab?.id === undefined || frameId !== 0 || documentLifecycle === "prerender") return undefined;
  const known = origin ?? (url === undefined ? undefined : new URL(url).origin);
  if (known === undefined || !/^https?:\/\//.test(known)) return undefined;
  return { tab: tab.id, origin: known, document: documentId };
}
