// What is seen of a view: the screen, and above it how things stand. It knows states, and nothing of where they come from.
import { systemClock } from "../link/index.ts";
import { createFrame } from "./create-frame.ts";
import { createBanner } from "./parts/create-banner.ts";
import { createNotes } from "./parts/create-notes.ts";
import type { Notes } from "./parts/create-notes.ts";
import { createPanel } from "./parts/create-panel.ts";
import type { PanelParts } from "./parts/create-panel.ts";
import { createSearchBar } from "./parts/create-search-bar.ts";
import type { SearchBar } from "./parts/create-search-bar.ts";
import type { Screen } from "./screen/create-screen.ts";
import type { TerminalState } from "./terminal-view.ts";

export interface FaceParts extends PanelParts {
  readonly label: string;
  onDiscard(): void;
  /** The focus came, or went. */
  onFocus(): void;
}

export interface Face {
  readonly view: HTMLElement;
  /** Where xterm draws. */
  readonly holder: HTMLElement;
  readonly notes: Notes;
  readonly bar: SearchBar;
  readonly hasFocus: boolean;
  /** Shows how things stand; `isBlank` where there is nothing on the screen to keep. */
  draw(state: TerminalState, about: { readonly isBlank: boolean; readonly waiting: number }): void;
  /** There is a screen now. */
  take(screen: Screen): void;
  focus(): void;
  close(): void;
}

export function createFace(element: HTMLElement, parts: FaceParts): Face {
  let screen: Screen | undefined;
  /** Whether the focus is to be in the screen once there is one. */
  let isFocusWanted = false;

  /** What was clicked on may be gone after that, and the focus with it. */
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
      // Who types while it connects shall not have to begin again.
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
