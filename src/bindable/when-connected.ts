interface Page {
  readonly document?: object;
  readonly MutationObserver?: new (changed: () => void) => {
    observe(root: object, options: { readonly childList: true; readonly subtree: true }): void;
    disconnect(): void;
  };
}

/** Runs once the target is in the document; at once where that is so, or where there is nothing to wait for. Returns what calls it off. */
export function whenConnected(target: { readonly isConnected?: unknown }, run: () => void): () => void {
  const { document, MutationObserver } = globalThis as Page;
  if (!document || !MutationObserver || target.isConnected !== false) {
    run();
    return () => {};
  }
  const observer = new MutationObserver(() => {
    if (!target.isConnected) return;
    observer.disconnect();
    run();
  });
  observer.observe(document, { childList: true, subtree: true });
  return () => observer.disconnect();
}
