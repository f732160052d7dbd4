// The place of the agent: a window of its own, or a frame of the page.
import { invalid } from "./bridge-errors.ts";

/** A place that the agent's window is shown in. */
export interface AgentPlace {
  readonly kind: "window" | "frame";
  /** Null once a frame was removed from its page. */
  window(): Window | null;
  focus(): void;
  close(): void;
}

export interface PlaceOptions {
  readonly url: string;
  readonly name: string;
  /** Empty for a tab. */
  readonly features: string;
}

type Open = (url: string, name: string, features?: string) => Window | null;

/** Opens a window, or shows the address in the one with this name; undefined if the browser blocks it. */
export function openWindow(open: Open, { url, name, features }: PlaceOptions): AgentPlace | undefined {
  const opened = open(url, name, features);
  // Some blockers return a window and close it at once.
  return opened && !opened.closed ? placeOf(opened) : undefined;
}

/** Finds the window with this name, without navigating it; undefined if there is none. */
export function findWindow(open: Open, name: string): AgentPlace | undefined {
  const found = open("", name);
  if (!found || found.closed) return undefined;
  if (whereIs(found) !== "blank") return placeOf(found);
  // There was none, so the browser opened one.
  found.close();
  return undefined;
}

/** Puts a frame into an element, or finds the one that an earlier bridge left there. */
export function mountFrame(element: Element, url: string, name: string): HTMLIFrameElement {
  if (!element.isConnected) throw invalid("The element to mount the agent in is not in the page.");
  const known = [...element.querySelectorAll("iframe")].find(({ dataset }) => dataset["agentWindow"] === name);
  if (known) {
    if (known.src !== url) known.src = url;
    return known;
  }
  const frame = element.ownerDocument.createElement("iframe");
  frame.dataset["agentWindow"] = name;
  frame.title = "AI assistant";
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { width: "100%", height: "100%", border: "0" });
  frame.src = url;
  element.append(frame);
  return frame;
}

export function placeInFrame(frame: HTMLIFrameElement): AgentPlace {
  return {
    kind: "frame",
    window: () => frame.contentWindow,
    focus: () => frame.focus(),
    close: () => frame.remove(),
  };
}

/** Whether a window is closed or a frame removed. */
export function isGone(place: AgentPlace): boolean {
  return place.window()?.closed ?? true;
}

/** The origin of a window as far as the page may read it: a cross-origin one is unknown. */
export function whereIs(window: Window): "blank" | "unknown" | { readonly origin: string } {
  try {
    const { href, origin } = window.location;
    return href === "about:blank" ? "blank" : { origin };
  } catch {
    return "unknown";
  }
}

/** The features of a window as high as the page's, at its right edge. */
export function besidePage({ screenX, screenY, outerWidth, outerHeight }: Window): string {
  const width = 480;
  const left = Math.max(0, screenX + outerWidth - width);
  return `popup,width=${width},height=${Math.max(600, outerHeight)},left=${left},top=${screenY}`;
}

function placeOf(window: Window): AgentPlace {
  return { kind: "window", window: () => window, focus: () => window.focus(), close: () => window.close() };
}
