/** A terminal, as the list of them has it. */
export interface TerminalInfo {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** How a view stands with its terminal. `message` is a sentence that can be shown as it is. */
export type TerminalState =
  /** A code is needed; `code` says why the credential that there was will not do. */
  | { readonly status: "signed-out"; readonly message: string; readonly code?: string }
  | { readonly status: "connecting"; readonly message: string }
  | {
      readonly status: "connected";
      readonly message: string;
      readonly terminal: string;
      readonly name: string;
      /** Where the terminal's programs act: in this tab, in another one, or in none. */
      readonly attachment: Attachment;
    }
  | { readonly status: "reconnecting"; readonly message: string; readonly retryAt: number }
  | {
      readonly status: "refused" | "unavailable";
      readonly message: string;
      readonly code: string;
      /** The command that fixes it, if there is one. */
      readonly command?: string;
    }
  | { readonly status: "ended"; readonly message: string; readonly exitCode?: number; readonly signal?: string }
  | { readonly status: "closed"; readonly message: string };

/** Unknown is it until the hub has said which tab this is. */
export type Attachment = "here" | "elsewhere" | "nowhere" | "unknown";

/** The colours of a view; with "auto" those that the system asks for. */
export type TerminalTheme = "auto" | "light" | "dark";

/** A terminal that is shown in an element. */
export interface TerminalView {
  readonly state: TerminalState;
  /** The id of the terminal that is shown. */
  readonly terminal: string | undefined;
  /** All terminals of whoever is signed in. */
  readonly terminals: readonly TerminalInfo[];
  /** Hears of every change of state, and of the list of terminals; returns a function that stops it. */
  onState(listener: (state: TerminalState) => void): () => void;
  /** Shows another terminal; without an id, a new one. */
  open(terminal?: string, options?: { readonly name?: string }): void;
  /** Gives a terminal another name. */
  rename(terminal: string, name: string): void;
  /** Ends a terminal and whatever runs in it. */
  end(terminal: string): void;
  /** Forgets the token that this browser keeps for terminals, and asks for a code again. */
  signOut(): void;
  focus(): void;
  /** Opens the search for a text and goes to the next place where it stands; says whether there is one. */
  search(text: string, options?: { readonly backwards?: boolean }): Promise<boolean>;
  /** Empties the screen, and what can be scrolled back to. */
  clear(): void;
  /** Types a text as if it was pasted. */
  paste(text: string): void;
  /** Copies what is selected; false where nothing is, or the browser refuses. */
  copySelection(): Promise<boolean>;
  setTheme(theme: TerminalTheme): void;
  setFontSize(pixels: number): void;
  setScreenReaderMode(on: boolean): void;
  /** Takes everything away that the view brought. Can be called twice. */
  close(): void;
}
