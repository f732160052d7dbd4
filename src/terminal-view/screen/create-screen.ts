// xterm, as a view of a terminal uses it. Knows what is drawn and typed, and nothing of where output comes from.
import type { ILinkHandler, Terminal } from "@xterm/xterm";
import type { Size, TerminalScreen } from "../session/stream-reader.ts";
import { checkLink } from "./check-link.ts";
import type { CheckedLink } from "./check-link.ts";
import { cleanPaste } from "./clean-paste.ts";
import { watchSize } from "./watch-size.ts";
import type { ViewKey } from "./key-of.ts";
import { keyOf } from "./key-of.ts";
import { createSearch } from "./create-search.ts";
import type { Search } from "./create-search.ts";
import { linkText } from "./link-text.ts";
import type { Xterm } from "./load-xterm.ts";
import { themes } from "./themes.ts";

export interface ScreenEvents {
  /** Somebody typed, or a program was answered that asked something of the terminal, such as where the cursor is. */
  onInput(text: string, isAnswer: boolean): void;
  /** There is room for so much. */
  onRoom(size: Size): void;
  /** A key of the view's own; says whether it was used. */
  onKey(key: ViewKey): boolean;
  /** Somebody clicked on an address, with the key that opens it or without. */
  onLink(link: CheckedLink, isMeant: boolean): void;
  /** A program wants something of the clipboard. */
  onClipboard(data: string): void;
  onPaste(text: string): void;
}

export interface ScreenOptions {
  readonly fontSize: number;
  readonly theme: "light" | "dark";
  readonly screenReaderMode: boolean;
  readonly label: string;
  readonly isMac: boolean;
  readonly isCalm: boolean;
}

export interface Screen extends TerminalScreen {
  readonly search: Search;
  readonly selection: string;
  /** False where the page's Content-Security-Policy keeps xterm from drawing. */
  readonly canDraw: boolean;
  focus(): void;
  clear(): void;
  paste(text: string): void;
  setTheme(theme: "light" | "dark"): void;
  setFontSize(pixels: number): void;
  setScreenReaderMode(on: boolean): void;
  close(): void;
}

const fontFamily =
  'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const lineHeight = 1.2;
const scrollback = 10_000;
const focusReports = ["\u001b[I", "\u001b[O"];

export function createScreen(xterm: Xterm, holder: HTMLElement, options: ScreenOptions & ScreenEvents): Screen {
  const { isMac } = options;
  let { theme } = options;
  const links = linksOf((address, event, shown) => {
    const link = checkLink(address, shown);
    if (link) options.onLink(link, isMac ? event.metaKey : event.ctrlKey);
  });
  const terminal: Terminal = new xterm.Terminal({
    allowProposedApi: true,
    cursorBlink: !options.isCalm,
    fontFamily,
    fontSize: options.fontSize,
    // In lines of the font's own height some fonts have no room for their underscore.
    lineHeight,
    linkHandler: links.marked(() => terminal),
    macOptionIsMeta: true,
    minimumContrastRatio: 4.5,
    screenReaderMode: options.screenReaderMode,
    scrollback,
    theme: themes[theme],
  });
  const fit = new xterm.FitAddon();
  const finder = new xterm.SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(finder);
  terminal.loadAddon(new xterm.WebLinksAddon((event, address) => links.plain(event, address)));
  const stopPasting = hearPaste(holder, options.onPaste);
  terminal.open(holder);
  if (terminal.textarea) {
    terminal.textarea.ariaLabel = options.label;
    terminal.textarea.ariaDescription = "Ctrl+Shift+M lets Tab leave the terminal.";
  }
  const search = createSearch({ addon: finder, terminal, theme: () => themes[theme] });

  /** Whether output is being read: what the terminal says meanwhile, it says by itself. */
  let isReading = false;
  terminal.onData((text) => {
    const isReport = focusReports.includes(text);
    // Of the focus it shall tell when that changes, and not because output of an hour ago is shown again.
    if (!isReading || !isReport) options.onInput(text, isReading || isReport);
  });
  terminal.parser.registerOscHandler(52, (data) => {
    options.onClipboard(data);
    return true;
  });
  terminal.attachCustomKeyEventHandler((event) => {
    const key = keyOf(event, isMac);
    if (key === undefined || (event.type === "keydown" && !options.onKey(key))) return true;
    // The browser pastes, and moves the focus, by itself.
    if (event.type === "keydown" && key !== "paste" && key !== "tab") event.preventDefault();
    return false;
  });
  const room = watchSize(holder, () => {
    const proposed = fit.proposeDimensions();
    if (proposed) options.onRoom(sizeOf(proposed.cols, proposed.rows));
  });

  return {
    search,
    get selection() {
      return terminal.getSelection();
    },
    canDraw: [...holder.querySelectorAll("style")].every(({ sheet }) => sheet !== null),
    write({ text, shown }) {
      terminal.write("", () => (isReading = true));
      terminal.write(text, () => {
        isReading = false;
        shown();
      });
    },
    // In its turn, and whatever sequence was cut off before.
    reset: () => terminal.write("\u0018\u001bc"),
    resize: ({ columns, rows }) => terminal.resize(columns, rows),
    focus: () => terminal.focus(),
    clear: () => terminal.clear(),
    paste: (text) => terminal.paste(cleanPaste(text)),
    setTheme(next) {
      theme = next;
      terminal.options.theme = themes[next];
    },
    setFontSize(pixels) {
      terminal.options.fontSize = pixels;
      room.look();
    },
    setScreenReaderMode(on) {
      terminal.options.screenReaderMode = on;
    },
    close() {
      room.close();
      stopPasting();
      terminal.dispose();
    },
  };
}

/** A program may ask for any size, and xterm for none: the hub takes 1 to 1000. */
function sizeOf(columns: number, rows: number): Size {
  const within = (count: number) => Math.min(1000, Math.max(1, Math.floor(count)));
  return { columns: within(columns), rows: within(rows) };
}

/** Takes what is pasted before xterm does, which would let it end a bracketed paste. */
function hearPaste(holder: HTMLElement, onPaste: (text: string) => void): () => void {
  const hear = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    onPaste(event.clipboardData?.getData("text/plain") ?? "");
  };
  holder.addEventListener("paste", hear, { capture: true });
  return () => holder.removeEventListener("paste", hear, { capture: true });
}

type OnLink = (address: string, event: MouseEvent, shown?: string) => void;

/** Addresses that stand in the output, and those that programs put behind a text of their own. */
function linksOf(onLink: OnLink) {
  return {
    plain: (event: MouseEvent, address: string) => onLink(address, event),
    marked: (terminal: () => Terminal): ILinkHandler => ({
      activate: (event, address, range) => onLink(address, event, linkText(terminal(), range)),
      allowNonHttpProtocols: false,
    }),
  };
}
