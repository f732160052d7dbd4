import { defaultHub } from "../page/index.ts";
import type { Page } from "../page/index.ts";
import { standardActions } from "../page/actions/index.ts";
import type { Action } from "../page/actions/index.ts";
import { logError } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { ShellKey, ShellToken } from "./session/shell-credentials.ts";
import { fitFontSize } from "./create-look.ts";
import type { TerminalState, TerminalTheme } from "./session/terminal-view.ts";

export interface TerminalOptions {
  /** The hub's address; by default that of the page, or else this computer's. */
  readonly hub?: string;
  /** The page whose tools the terminal's programs use; by default the document's own, or else a new one. */
  readonly page?: Page;
  /**
   * The actions of a terminal's programs in this tab, besides the page's own tools; the standard actions by default.
   */
  readonly actions?: readonly Action[] | false;
  /** A one-time code from `pagewire terminal --code`. Without a credential, the view asks for one. */
  readonly code?: string;
  /** A token that the app's own server signed, or how to get a fresh one. */
  readonly token?: ShellToken;
  /** For the hub's own page: a key of this browser, to which the token that a code is exchanged for is bound. */
  readonly key?: ShellKey;
  /** The terminal to show; by default a new one. */
  readonly terminal?: string;
  /** The name of a new terminal. */
  readonly name?: string;
  /** The view's accessible name. */
  readonly label?: string;
  readonly theme?: TerminalTheme;
  /** In pixels; 14 by default, or the size that the user chose here with Ctrl and +. */
  readonly fontSize?: number;
  /** Whether screen readers can read the output line by line. */
  readonly screenReaderMode?: boolean;
  readonly onState?: (state: TerminalState) => void;
  /** Receives failures in the background; they go to the console by default. */
  readonly onError?: OnError;
}

export interface CheckedOptions extends TerminalOptions {
  readonly hub: string;
  readonly actions: readonly Action[];
  readonly label: string;
  readonly theme: TerminalTheme;
  readonly fontSize: number;
  readonly screenReaderMode: boolean;
  readonly onError: OnError;
}

const usualFontSize = 14;

/** Fills in the defaults; throws if an option is malformed. */
export function checkTerminalOptions(options: TerminalOptions): CheckedOptions {
  const {
    hub = options.page?.hub ?? ownHub() ?? defaultHub,
    actions,
    theme = "auto",
    fontSize = usualFontSize,
  } = options;
  if (!/^https?:\/\/[^\s/?#@]+\/?$/.test(hub)) throw invalid("hub", `an address such as ${defaultHub}`);
  if (!["auto", "light", "dark"].includes(theme)) throw invalid("theme", '"auto", "light" or "dark"');
  if (!(fontSize > 0)) throw invalid("fontSize", "a number of pixels");
  return {
    ...options,
    hub: hub.replace(/\/$/, ""),
    actions: actions === false ? [] : (actions ?? standardActions()),
    label: options.label ?? "Terminal",
    theme,
    fontSize: fitFontSize(fontSize),
    screenReaderMode: options.screenReaderMode ?? false,
    onError: options.onError ?? logError,
  };
}

/** The hub of the page that the script tag connected. */
function ownHub(): string | undefined {
  return (window as { readonly pagewire?: Page }).pagewire?.hub;
}

function invalid(name: string, form: string): PagewireError {
  return new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}
