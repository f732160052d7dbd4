/** What happens to a page that a bridge must know. */
export interface PageEvents {
  /** It is reloaded, left or closed. */
  leaving(): void;
  /** It comes out of the back/forward cache. */
  back(): void;
}

/** Watches the page until the returned function is called. */
export function watchPage(self: Window, { leaving, back }: PageEvents): () => void {
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) back();
  };
  self.addEventListener("pagehide", leaving);
  self.addEventListener("pageshow", show);
  return () => {
    self.removeEventListener("pagehide", leaving);
    self.removeEventListener("pageshow", show);
  };
}
