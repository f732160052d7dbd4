// The visible part of a view: the screen, with status elements above it. It renders states, independent of their
// source.
import { systemClock } from "../link/index.ts";
import { createNotes } from "./parts/create-notes.ts";
import type { Notes } from "./parts/create-notes.ts";
import { createBanner, createPanel } from "./parts/state-elements.ts";
import type { PanelParts } from "./parts/state-elements.ts";
import { createSearchBar } from "./parts/create-search-bar.ts";
import type { SearchBar } from "./parts/create-search-bar.ts";
import type { Screen } from "./screen/create-screen.ts";
import type { TerminalState } from "./session/terminal-view.ts";
import { viewStyles } from "./parts/view-styles.ts";
import { make } from "./parts/make.ts";

export interface FaceParts extends PanelParts {
  readonly label: string;
  onDiscard(): void;
  /** Called when the view gets or loses the focus. */
  onFocus(): void;
}

export interface Face {
  readonly view: HTMLElement;
  /** The container of xterm. */
  readonly holder: HTMLElement;
  readonly notes: Notes;
  readonly bar: SearchBar;
  readonly hasFocus: boolean;
  /** Renders a state; `isBlank` if nothing was printed yet. */
  draw(state: TerminalState, about: { readonly isBlank: boolean; readonly waiting: number }): void;
  /** Sets the screen, once it is loaded. */
  take(screen: Screen): void;
  focus(): void;
  close(): void;
}

export function createFace(element: HTMLElement, parts: FaceParts): Face {
  let screen: Screen | undefined;
  /** Whether to focus the screen once it is loaded. */
  let isFocusWanted = false;

  /** The clicked element may be removed, and lose the focus. */
  const thenFocus = (run: () => void) => () => {
    run();
    focus();
  };
  const notes = createNotes(systemClock);
  const banner = createBanner({ onRetry: thenFocus(parts.onRetry), onDiscard: thenFocus(parts.onDiscard) });
  const panel = createPanel(parts);
  const bar = createSearchBar({
    find: (text, how) => screen?.search.find(text, how) ?? false,
    onClose: thenFocus(() => screen?.search.clear()),
  });
  const frame = createFrame(element, [panel.element, banner.element, bar.element, notes.element], parts.onFocus);

  function focus(): void {
    if (frame.screen.inert) panel.focus();
    else if (screen) screen.focus();
    else isFocusWanted = true;
  }

  return {
    view: frame.view,
    holder: frame.holder,
    notes,
    bar,
    get hasFocus() {
      return frame.hasFocus;
    },
    draw(state, { isBlank, waiting }) {
      const hadFocus = frame.hasFocus;
      const isCovered = panel.draw(state, isBlank);
      banner.draw(state, waiting);
      banner.element.hidden ||= isCovered;
      frame.view.classList.toggle("is-covered", isCovered);
      frame.view.classList.toggle("is-away", state.status === "reconnecting");
      // Typing while connecting must not lose the focus.
      frame.screen.inert = isCovered && state.status !== "connecting";
      frame.view.ariaLabel = labelOf(parts.label, state);
      const isLost = frame.focused === null || (frame.screen.inert && frame.screen.contains(frame.focused));
      if (hadFocus && isLost) focus();
    },
    take(taken) {
      screen = taken;
      screen.search.onFound(bar.draw);
      if (isFocusWanted) focus();
    },
    focus,
    close() {
      notes.close();
      frame.close();
    },
  };
}

function labelOf(label: string, state: TerminalState): string {
  return state.status === "connected" && state.name !== "" ? `${label}: ${state.name}` : label;
}

interface Frame {
  readonly host: HTMLElement;
  readonly view: HTMLElement;
  /** The container of xterm. */
  readonly holder: HTMLElement;
  /** Around the holder; inert while the panel covers it. */
  readonly screen: HTMLElement;
  /** The focus within the view. */
  readonly hasFocus: boolean;
  readonly focused: Element | null;
  close(): void;
}

/** Adds a view to an element, in a shadow root, with these parts above its screen. */
function createFrame(element: HTMLElement, parts: readonly HTMLElement[], onFocus: () => void): Frame {
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
