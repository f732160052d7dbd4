import type { OwnWindow } from "./parent-link-options.ts";

/** The events of the window that its parent should know. */
export interface LeavingEvents {
  /** Its document unloads, for any reason. */
  hiding(): void;
  /** After that: it closes, or goes to another page. */
  leaving(): void;
  /** It is back from the back/forward cache. */
  back(): void;
}

/**
 * Watches for the end of the window. A document that unloads does not get the reason: a script that closes the window
 * shows in `closed`, and a link in the browser's navigation event. Without either it may be a reload, and nothing is
 * reported: the parent notices a closed window by itself, and one that navigated away by its silence.
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
