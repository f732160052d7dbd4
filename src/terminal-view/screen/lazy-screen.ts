// The screen of a view, before and after xterm is loaded. Nothing is lost before that: the session opens no terminal until
// the screen reports its size.
import { PagewireError } from "../../wire/index.ts";
import type { Output, Size, TerminalScreen } from "../session/stream-reader.ts";
import { cleanPaste, createScreen } from "./create-screen.ts";
import type { Screen, ScreenEvents } from "./create-screen.ts";
import { loadXterm } from "./load-xterm.ts";

export interface LazyScreenOptions extends ScreenEvents {
  readonly label: string;
  readonly screenReaderMode: boolean;
  look(): { readonly fontSize: number; readonly theme: "light" | "dark" };
  /** Called with the screen when it is drawn. */
  onDrawn(screen: Screen): void;
  /** The screen could not be loaded or drawn. */
  onFailed(error: unknown): void;
}

const policyText =
  "This page's Content-Security-Policy keeps terminals from being drawn. Let its style-src have 'unsafe-inline'.";

export class LazyScreen implements TerminalScreen {
  /** Undefined while it is not drawn. */
  drawn: Screen | undefined;
  /** Whether nothing was printed yet. */
  isBlank = true;
  /** Resolves when the screen is drawn, or could not be. */
  loading = Promise.resolve();
  readonly #holder: HTMLElement;
  readonly #options: LazyScreenOptions;
  #screenReaderMode: boolean;
  #isClosed = false;

  constructor(holder: HTMLElement, options: LazyScreenOptions) {
    this.#holder = holder;
    this.#options = options;
    this.#screenReaderMode = options.screenReaderMode;
  }

  load(): void {
    this.loading = this.#load();
  }

  write(output: Output): void {
    this.isBlank = false;
    this.drawn?.write(output);
  }

  reset(): void {
    this.isBlank = true;
    this.drawn?.reset();
  }

  resize(size: Size): void {
    this.drawn?.resize(size);
  }

  /** Pastes as if typed; before the screen is drawn, as plain input. */
  paste(text: string): void {
    if (this.drawn) this.drawn.paste(text);
    else this.#options.onInput(cleanPaste(text), false);
  }

  setScreenReaderMode(on: boolean): void {
    this.#screenReaderMode = on;
    this.drawn?.setScreenReaderMode(on);
  }

  close(): void {
    this.#isClosed = true;
    this.#remove();
  }

  #remove(): void {
    this.drawn?.close();
    this.drawn = undefined;
  }

  async #load(): Promise<void> {
    try {
      const xterm = await loadXterm();
      if (this.#isClosed) return;
      const screen = createScreen(xterm, this.#holder, {
        ...this.#options,
        ...this.#options.look(),
        screenReaderMode: this.#screenReaderMode,
        isMac: /Mac|iPhone|iPad/.test(navigator.platform),
        isCalm: matchMedia("(prefers-reduced-motion: reduce)").matches,
      });
      this.drawn = screen;
      if (!screen.canDraw) throw new PagewireError("terminal-unavailable", policyText);
      this.#options.onDrawn(screen);
    } catch (error) {
      // A closed screen reports no size, so no invisible shell is opened.
      this.#remove();
      if (!this.#isClosed) this.#options.onFailed(error);
    }
  }
}
