// When this document may ask its browser for tools. Chromium 156 crashes, with all its windows, where a document asks on
// its way into the back/forward cache. To register and to run tools there is safe: the browser itself waits.
import { later } from "./later.ts";

/** Settles when this document is shown, which it may not be from `pagehide` to `pageshow`. */
let shown = Promise.resolve();

/** Begins to watch this document. Calls after the first change nothing. */
export function watchLeaving(): void {
  addEventListener("pagehide", onPageHide);
}

function onPageHide({ persisted }: PageTransitionEvent): void {
  if (persisted) shown = new Promise((resolve) => addEventListener("pageshow", () => resolve(), { once: true }));
}

/** Resolves when this document may ask at once. */
export async function mayAsk(): Promise<void> {
  // Other listeners of `pagehide` may run before the one here, but no other task does.
  await new Promise<void>(later);
  await shown;
}
