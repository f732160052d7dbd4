import type { SearchAddon } from "@xterm/addon-search";
import type { ITheme, Terminal } from "@xterm/xterm";

/** Search results. */
export interface Found {
  readonly count: number;
  /** The current match, from 1; 0 if none. */
  readonly at: number;
  /** Whether there are more matches than counted. */
  readonly isMore: boolean;
  /** Whether a program such as tmux uses the alternate screen, whose scrollback cannot be searched. */
  readonly isScreenOnly: boolean;
}

export interface Search {
  /** Jumps to the next match, or with `backwards` to the previous one; returns whether there is one. */
  find(text: string, options: { readonly backwards?: boolean; readonly isTyping?: boolean }): boolean;
  /** Calls back with results; returns a function that stops it. */
  onFound(listener: (found: Found) => void): () => void;
  clear(): void;
}

const maxCounted = 1000;

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
          isMore: resultCount >= maxCounted,
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
