// Wraps xterm for a view. It handles drawing and input, independent of the source of the output.
import type { ILinkHandler, Terminal, IBufferRange } from "@xterm/xterm";
import type { Size, TerminalScreen } from "../session/stream-reader.ts";
import { checkLink } from "./check-link.ts";
import type { CheckedLink } from "./check-link.ts";
import { keyOf } from "./view-keys.ts";
import type { ViewKey } from "./view-keys.ts";
import { createSearch } from "./create-search.ts";
import type { Search } from "./create-search.ts";
import type { Xterm } from "./load-xterm.ts";
import { themes } from "./themes.ts";

export interface ScreenEvents {
  /** The user typed, or (`isAnswer`) the terminal answered a query, such as the cursor position. */
  onInput(text: string, isAnswer: boolean): void;
  /** The available size changed. */
  onRoom(size: Size): void;
  /** Handles one of the view's own keys; returns whether it was used. */
  onKey(key: ViewKey): boolean;
  /** The user clicked on a link; `isMeant` with the modifier key. */
  onLink(link: CheckedLink, isMeant: boolean): void;
  /** A program sent an OSC 52 request. */
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
  /** False if the page's Content-Security-Policy blocks xterm's styles. */
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
    // At line height 1 some fonts cut off their underscore.
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
  const stopPasting = interceptPaste(holder, options.onPaste);
  terminal.open(holder);
  if (terminal.textarea) {
    terminal.textarea.ariaLabel = options.label;
    terminal.textarea.ariaDescription = "Ctrl+Shift+M lets Tab leave the terminal.";
  }
  const search = createSearch({ addon: finder, terminal, theme: () => themes[theme] });

  /** Whether output is being parsed: data that the terminal emits meanwhile is an answer, not typed. */
  let isReading = false;
  terminal.onData((text) => {
    const isReport = focusReports.includes(text);
    // Replayed output that turns on focus reporting must not trigger a report.
    if (!isReading || !isReport) options.onInput(text, isReading || isReport);
  });
  terminal.parser.registerOscHandler(52, (data) => {
    options.onClipboard(data);
    return true;
  });
  terminal.attachCustomKeyEventHandler((event) => {
    const key = keyOf(event, isMac);
    if (key === undefined || (event.type === "keydown" && !options.onKey(key))) return true;
    // The browser handles paste and focus itself.
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
    // Queued behind earlier output, and valid after an incomplete sequence.
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
      room.check();
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

/** The hub accepts 1 to 1000. */
function sizeOf(columns: number, rows: number): Size {
  const within = (count: number) => Math.min(1000, Math.max(1, Math.floor(count)));
  return { columns: within(columns), rows: within(rows) };
}

/** Intercepts pastes, because xterm does not strip the end of a bracketed paste. */
function interceptPaste(holder: HTMLElement, onPaste: (text: string) => void): () => void {
  const take = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    onPaste(event.clipboardData?.getData("text/plain") ?? "");
  };
  holder.addEventListener("paste", take, { capture: true });
  return () => holder.removeEventListener("paste", take, { capture: true });
}

type OnLink = (address: string, event: MouseEvent, shown?: string) => void;

/** Handles plain addresses in the output, and hyperlinks with a text of their own (OSC 8). */
function linksOf(onLink: OnLink) {
  return {
    plain: (event: MouseEvent, address: string) => onLink(address, event),
    marked: (terminal: () => Terminal): ILinkHandler => ({
      activate: (event, address, range) => onLink(address, event, linkText(terminal(), range)),
      allowNonHttpProtocols: false,
    }),
  };
}

function linkText(terminal: Terminal, { start, end }: IBufferRange): string {
  let text = "";
  for (let y = start.y; y <= end.y; y++) {
    const line = terminal.buffer.active.getLine(y - 1);
    text += line?.translateToString(true, y === start.y ? start.x - 1 : 0, y === end.y ? end.x : terminal.cols) ?? "";
  }
  return text;
}

interface SizeWatch {
  /** Checks again at the next frame. */
  check(): void;
  close(): void;
}

/** Calls back when an element's size changes, but not while it is hidden or empty. */
function watchSize(element: HTMLElement, onSize: () => void): SizeWatch {
  let frame: number | undefined;

  function check(): void {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      if (element.clientWidth > 0 && element.clientHeight > 0) onSize();
    });
  }

  const observer = new ResizeObserver(check);
  observer.observe(element);
  return {
    check,
    close() {
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}

export const maxPaste = 4 * 1024 * 1024;

/**
 * Removes control characters from a paste: they could end a bracketed paste, or act as keys. Keeps tabs and line ends.
 */
export function cleanPaste(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, "");
}
