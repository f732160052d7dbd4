// Watches for changes of the browser's tools. The browser dispatches an event, but not when a frame goes away.
import { offersChanged } from "../own-tools.ts";
import { pathOf, reach } from "./windows.ts";

export interface ModelContextWatch {
  /** Watches this model context and these frames with tools, instead of the previous ones. */
  follow(context: unknown, frames: ReadonlySet<Window>): void;
  close(): void;
}

/** Calls back when the tools may have changed, until it is closed. */
export function watchModelContext(look: () => void): ModelContextWatch {
  const closing = new AbortController();
  const { signal } = closing;
  let followed: unknown;
  let frames: ReadonlySet<Window> = new Set();

  /** A frame's pagehide fires before its tools are gone. */
  const soon = () => void setTimeout(() => signal.aborted || look());
  const removals = new MutationObserver(() => {
    if ([...frames].some(({ closed }) => closed)) look();
  });
  const onLoad = ({ target }: Event) => {
    if (target instanceof HTMLIFrameElement) look();
  };
  // A script may replace the browser's model context, which dispatches no event.
  window.addEventListener("focus", look, { signal });
  document.addEventListener("visibilitychange", look, { signal });
  document.addEventListener("modelcontext", look, { signal });
  // A cross-origin frame that navigates.
  document.addEventListener("load", onLoad, { capture: true, signal });
  window.addEventListener(offersChanged, look, { signal });

  function follow(context: unknown, windows: ReadonlySet<Window>): void {
    if (context !== followed) {
      reach(followed as Partial<EventTarget>, (before) => before.removeEventListener?.("toolchange", look));
      reach(context as Partial<EventTarget>, (next) => next.addEventListener?.("toolchange", look));
      followed = context;
    }
    for (const type of ["pagehide", offersChanged]) {
      for (const frame of frames) if (!windows.has(frame)) reach(frame, () => frame.removeEventListener(type, soon));
      // Known ones too: a frame may show another document now.
      for (const frame of windows) reach(frame, () => frame.addEventListener(type, soon));
    }
    frames = windows;
    removals.disconnect();
    const hasStrangers = [...frames].some((frame) => pathOf(frame) === undefined);
    if (hasStrangers) removals.observe(document, { childList: true, subtree: true });
  }

  return {
    follow,
    close() {
      closing.abort();
      follow(undefined, new Set());
    },
  };
}
