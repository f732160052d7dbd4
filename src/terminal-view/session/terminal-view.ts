export interface TerminalInfo {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The state of a view's terminal. `message` is a sentence for users. */
export type TerminalState =
  /** A code is needed; `code` is the reason why the previous credential was refused. */
  | { readonly status: "signed-out"; readonly message: string; readonly code?: string }
  | { readonly status: "connecting"; readonly message: string }
  | {
      readonly status: "connected";
      readonly message: string;
      readonly terminal: string;
      readonly name: string;
      /** Which tab the terminal's programs act in: this one, another one, or none. */
      readonly attachment: Attachment;
    }
  | { readonly status: "reconnecting"; readonly message: string; readonly retryAt: number }
  | {
      readonly status: "refused" | "unavailable";
      readonly message: string;
      readonly code: string;
      readonly command?: string;
    }
  | { readonly status: "ended"; readonly message: string; readonly exitCode?: number; readonly signal?: string }
  | { readonly status: "closed"; readonly message: string };

/** Unknown until the hub has sent this tab's id. */
export type Attachment = "here" | "elsewhere" | "nowhere" | "unknown";

/** The colours of a view; "auto" uses the system's preference. */
export type TerminalTheme = "auto" | "light" | "dark";

/** A terminal that is shown in an element. */
export interface TerminalView {
  readonly state: TerminalState;
  /** The id of the terminal that is shown. */
  readonly terminal: string | undefined;
  /** All terminals of the signed-in user. */
  readonly terminals: readonly TerminalInfo[];
  /** Called when the state or the list of terminals changes; returns a function that stops it. */
  onState(listener: (state: TerminalState) => void): () => void;
  /** Shows another terminal; without an id, a new one. */
  open(terminal?: string, options?: { readonly name?: string }): void;
  rename(terminal: string, name: string): void;
  /** Ends a terminal and everything that runs in it. */
  end(terminal: string): void;
  /** Removes the terminal token from this browser, and asks for a code again. */
  signOut(): void;
  focus(): void;
  /** Opens the search for a text and goes to the next match; returns whether there is one. */
  search(text: string, options?: { readonly backwards?: boolean }): Promise<boolean>;
  /** Clears the screen and its scrollback. */
  clear(): void;
  paste(text: string): void;
  /** Copies the selection; false if there is none, or the browser refuses. */
  copySelection(): Promise<boolean>;
  setTheme(theme: TerminalTheme): void;
  setFontSize(pixels: number): void;
  setScreenReaderMode(on: boolean): void;
  /** Removes everything that the view added. Can be called twice. */
  close(): void;
}
