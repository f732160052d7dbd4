import type { OwnWindow } from "./parent-link-state.ts";

/** What the window does that its parent should know. */
export interface LeavingEvents {
  /** Its document unloads, for whatever reason. */
  hiding(): void;
  /** After that: it closes, or goes to another page. */
  leaving(): void;
  /** It comes out of the back/forward cache. */
  back(): void;
}

/**
 * Hears when the window goes away for good. A document that unloads is not told why: a script that closes the window
 * shows in `closed`, a link in what the browser announces. Where neither does it may be a reload, and nothing is said:
 * the parent sees a window that was closed, and hears the silence of one that left.
 */
export function watchLeaving(self: OwnWindow, { hiding, leaving, back }: LeavingEvents): () => void {
  const { navigation } = self;
  let goesElsewhere = false;

  const onNavigate = (event: Event) => {
    const { navigationType, destination, downloadRequest } = event as NavigateEvent;
    if (destination.sameDocument || downloadRequest !== null) return;
    goesElsewhere = navigationType !== "reload" && pageOf(destination.url) !== pageOf(self.location.href);
  };
  const onHide = () => {
    hiding();
    if (self.closed || goesElsewhere) leaving();
  };
  const onShow = (event: Event) => {
    goesElsewhere = false;
    if ((event as PageTransitionEvent).persisted) back();
  };

  navigation?.addEventListener("navigate", onNavigate);
  self.addEventListener("pagehide", onHide);
  self.addEventListener("pageshow", onShow);
  return () => {
    navigation?.removeEventListener("navigate", onNavigate);
    self.removeEventListener("pagehide", onHide);
    self.removeEventListener("pageshow", onShow);
  };
}

/** An address without its query and fragment. */
function pageOf(address: string): string {
  return address.replace(/[?#].*$/, "");
}
