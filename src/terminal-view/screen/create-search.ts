import type { SearchAddon } from "@xterm/addon-search";
import type { ITheme, Terminal } from "@xterm/xterm";

/** Where a text was found. */
export interface Found {
  readonly count: number;
  /** Which of them is shown, from 1 on; 0 where none is. */
  readonly at: number;
  /** Whether there are more than were counted. */
  readonly isMore: boolean;
  /** Whether a program, such as tmux, has the screen for itself: what it scrolled away is not here to be found. */
  readonly isScreenOnly: boolean;
}

export interface Search {
  /** Goes to the next place where a text stands, or with `backwards` to the one before; says whether there is one. */
  find(text: string, options: { readonly backwards?: boolean; readonly isTyping?: boolean }): boolean;
  /** Hears of what was found; returns a function that stops it. */
  onFound(listener: (found: Found) => void): () => void;
  clear(): void;
}

const most = 1000;

export interface SearchParts {
  readonly addon: SearchAddon;
  readonly terminal: Pick<Terminal, "buffer">;
  theme(): ITheme;
}

export function createSearch({ addon, terminal, theme }: SearchParts): Search {
  return {
    find(text, { backwards = false, isTyping = false }) {
      const { cursor = "#3451c6", selectionBackground = "#c9d4fb" } = theme();
      const decorations = {
        matchBackground: selectionBackground,
        matchOverviewRuler: cursor,
        activeMatchBackground: "#e9b949",
        activeMatchColorOverviewRuler: cursor,
      };
      const options = { incremental: isTyping, decorations };
      return backwards ? addon.findPrevious(text, options) : addon.findNext(text, options);
    },
    onFound(listener) {
      const { dispose } = addon.onDidChangeResults(({ resultIndex, resultCount }) =>
        listener({
          count: resultCount,
          at: resultIndex + 1,
          isMore: resultCount >= most,
          isScreenOnly: terminal.buffer.active.type === "alternate",
        }),
      );
      return dispose;
    },
    clear() {
      addon.clearDecorations();
    },
  };
}
