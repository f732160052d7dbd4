import { plainUrl } from "../../wire/index.ts";
import type { DocumentListener } from "./environment.ts";

/** Observes this document; returns a function that stops it. */
export function watchDocument({ changed, suspended, resumed, gone }: DocumentListener): () => void {
  const ending = new AbortController();
  const on = (
    target: EventTarget | undefined,
    types: string,
    listener: (event: PageTransitionEvent & PageSwapEvent) => void,
  ) => {
    for (const type of types.split(" "))
      target?.addEventListener(type, listener as EventListener, { signal: ending.signal });
  };

  on(window, "focus blur popstate", changed);
  on(document, "visibilitychange", changed);
  on((window as { navigation?: EventTarget }).navigation, "currententrychange", changed);
  const titles = new MutationObserver(changed);
  titles.observe(document.head, { subtree: true, childList: true, characterData: true });

  let isForGood = false;
  // A reload keeps the address (ignoring query and fragment); the address of another origin is not exposed.
  on(window, "pageswap", ({ activation }) => {
    isForGood = plainUrl(activation?.entry.url ?? "") !== plainUrl(location.href);
  });
  on(window, "pagehide", ({ persisted }) => (persisted ? suspended("back-forward-cache") : gone(isForGood)));
  on(window, "pageshow", ({ persisted }) => {
    isForGood = false;
    if (persisted) resumed();
  });
  on(document, "freeze", () => suspended("frozen"));
  on(document, "resume", resumed);
  return () => {
    ending.abort();
    titles.disconnect();
  };
}
