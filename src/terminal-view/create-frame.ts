// The elements of a view, in a shadow root of their own: the page's styles do not reach them, nor theirs the page.
import { viewStyles } from "./parts/view-styles.ts";
import { make } from "./parts/make.ts";

export interface Frame {
  readonly host: HTMLElement;
  readonly view: HTMLElement;
  /** Where xterm draws. */
  readonly holder: HTMLElement;
  /** Around it, what is out of reach while something else has to be answered. */
  readonly screen: HTMLElement;
  /** Whether the focus is within, and where. */
  readonly hasFocus: boolean;
  readonly focused: Element | null;
  close(): void;
}

/** Adds a view to an element, with these parts above its screen. */
export function createFrame(element: HTMLElement, parts: readonly HTMLElement[], onFocus: () => void): Frame {
  const host = document.createElement("pagewire-terminal");
  const holder = make("div", { className: "holder" });
  const screen = make("div", { className: "screen" }, holder);
  const view = make("div", { className: "view" }, screen, ...parts);
  const root = host.attachShadow({ mode: "open" });
  let hasFocus = false;

  function setFocus(now: boolean): void {
    if (now === hasFocus) return;
    hasFocus = now;
    onFocus();
  }

  root.adoptedStyleSheets = [viewStyles()];
  view.role = "group";
  view.addEventListener("focusin", () => setFocus(true));
  view.addEventListener("focusout", ({ relatedTarget }) => {
    setFocus(relatedTarget instanceof Node && view.contains(relatedTarget));
  });
  root.append(view);
  element.append(host);
  return {
    host,
    view,
    holder,
    screen,
    get hasFocus() {
      return hasFocus;
    },
    get focused() {
      return root.activeElement;
    },
    close: () => host.remove(),
  };
}
