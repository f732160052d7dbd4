import type { DocumentListener } from "./environment.ts";

/** Tells of this document until the returned function is called. */
export function watchDocument({ changed, suspended, resumed, gone }: DocumentListener): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const on = (target: EventTarget | undefined, types: string, listener: (event: PageTransitionEvent) => void) => {
    for (const type of types.split(" ")) target?.addEventListener(type, listener as EventListener, { signal });
  };

  on(window, "focus blur popstate", changed);
  on(document, "visibilitychange", changed);
  on((window as { navigation?: EventTarget }).navigation, "currententrychange", changed);
  const titles = new MutationObserver(changed);
  titles.observe(document.head, { subtree: true, childList: true, characterData: true });
  signal.addEventListener("abort", () => titles.disconnect());

  on(window, "pagehide", ({ persisted }) => (persisted ? suspended("back-forward-cache") : gone()));
  on(window, "pageshow", ({ persisted }) => persisted && resumed());
  on(document, "freeze", () => suspended("frozen"));
  on(document, "resume", resumed);
  return () => ending.abort();
}
