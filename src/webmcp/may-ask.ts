// When this document may query its browser for tools. Chromium 156 crashes with all its windows if a document does so
// on its way into the back/forward cache. Registering and running tools is safe there: the browser itself waits.
import { later } from "./later.ts";

/** Resolves while this document is shown, that is, not between `pagehide` and `pageshow`. */
let shown = Promise.resolve();

/** Starts to watch this document. Further calls have no effect. */
export function watchLeaving(): void {
  addEventListener("pagehide", onPageHide);
}

function onPageHide({ persisted }: PageTransitionEvent): void {
  if (persisted) shown = new Promise((resolve) => addEventListener("pageshow", () => resolve(), { once: true }));
}

/** Resolves when this document may query the browser. */
export async function mayAsk(): Promise<void> {
  // Other `pagehide` listeners may run before ours, but no other task does.
  await new Promise<void>(later);
  await shown;
}
