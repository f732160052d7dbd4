// The model context that the extension's scripts see in their own world: the browser's, or the bridge to that of the page's world.

declare global {
  /** The bridge to the model context of the page's own world, where the browser has none. */
  var pagewireModelContext: unknown;
}

export function modelContext(): unknown {
  return (document as { readonly modelContext?: unknown }).modelContext ?? globalThis.pagewireModelContext;
}

/** Whether this document may have tools: a top document with an origin and a head, which is shown or was. */
export function isSite(): boolean {
  return window === top && /^https?:\/\//.test(self.origin) && document instanceof HTMLDocument;
}

/** Calls back once the document is no longer being rendered ahead of its visit. */
export function whenVisited(run: () => void): void {
  const { prerendering } = document as { readonly prerendering?: boolean };
  if (!prerendering) return run();
  document.addEventListener("prerenderingchange", run, { once: true });
}
