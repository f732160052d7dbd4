// The terminal that a view shows or requests: its id, read position and input, and the hub's information about the
// view. Independent of the connection.
import type { FrameFromView, FrameToView } from "../../wire/index.ts";
import type { Attachment } from "./terminal-view.ts";
import { createStreamReader } from "./stream-reader.ts";
import type { Size, TerminalScreen } from "./stream-reader.ts";
import { createTyping } from "./typing.ts";

type Frame<Type> = Extract<FrameToView, { type: Type }>;

/** The terminal to open: without an id, a new one. */
export interface Wish {
  readonly terminal?: string;
  readonly name?: string;
}

/** A view's tab and focus. */
export interface Place {
  /** The tab's id, once it is known; the hub accepts it only while the tab's page is connected. */
  readonly tab: string | undefined;
  readonly isConnected: boolean;
  readonly focused: boolean;
}

export interface ShownTerminal {
  /** The open or requested terminal; undefined after a shell ended, until another is requested. */
  readonly wish: Wish | undefined;
  readonly isOpen: boolean;
  /** Whether a request to open it is pending. */
  readonly isAsked: boolean;
  readonly attachment: Attachment;
  /** Number of characters queued until the shell is reachable. */
  readonly waiting: number;
  /** Asks the hub to open the requested terminal, once the view has a size. */
  ask(): void;
  opened(frame: Frame<"opened">): void;
  /** The hub could not open it. */
  failed(): void;
  /** Handles output and size of the open terminal; ignores those of an earlier one. */
  take(frame: Frame<"output" | "size">, payload: string): void;
  attached(tab: string | undefined): void;
  renamed(name: string): void;
  /** A frame of the hub arrived, which confirms what was sent before. */
  heard(): void;
  /** The hub is unreachable. */
  away(): void;
  /** The connection was lost, possibly with the last input. */
  cut(): void;
  /** Leaves the terminal, optionally for another one. */
  leave(next?: Wish): void;
  input(text: string): void;
  discard(): void;
  /** Sets the view's size; returns whether it is the first one. */
  resize(size: Size): boolean;
  tellPlace(): void;
}

export interface ShownTerminalParts {
  readonly screen: TerminalScreen;
  sendFrame(frame: FrameFromView, payload?: string): unknown;
  place(): Place;
  /** A transient notification for the user. */
  onNote(text: string): void;
}

export function createShownTerminal(
  { screen, sendFrame, place, onNote }: ShownTerminalParts,
  first: Wish,
): ShownTerminal {
  const typing = createTyping({ sendFrame, onNote });
  const reader = createStreamReader(screen, (at) => sendFrame({ type: "seen", at }));
  let wish: Wish | undefined = first;
  let size: Size | undefined;
  /** The size last sent to the hub. */
  let told: Size | undefined;
  let attached: string | undefined;
  let isOpen = false;
  let isAsked = false;

  /** Not while opening: the frame would apply to the previous terminal. */
  function tellSize(): void {
    if (!isOpen || !size || (size.columns === told?.columns && size.rows === told.rows)) return;
    told = size;
    sendFrame({ type: "resize", ...size });
  }

  function tellPlace(): void {
    const { tab, isConnected, focused } = place();
    if (isOpen) sendFrame({ type: "here", focused, ...(isConnected && tab !== undefined ? { tab } : {}) });
  }

  function away(): void {
    isOpen = isAsked = false;
  }

  /** After two requests in a row the first is answered too: queued input is not for that one. */
  function isWished({ terminal, isNew }: Frame<"opened">): boolean {
    return wish !== undefined && (wish.terminal === undefined ? isNew : wish.terminal === terminal);
  }

  return {
    get wish() {
      return wish;
    },
    get isOpen() {
      return isOpen;
    },
    get isAsked() {
      return isAsked;
    },
    get attachment() {
      return attachmentOf(attached, place().tab);
    },
    get waiting() {
      return isOpen ? 0 : typing.waiting;
    },
    ask() {
      if (!size || !wish) return;
      isOpen = false;
      isAsked = true;
      told = size;
      const { terminal, name } = wish;
      const which = terminal !== undefined ? { terminal } : name !== undefined ? { name } : {};
      sendFrame({ type: "open", ...which, ...size, ...reader.left });
    },
    opened(frame) {
      if (!isWished(frame)) return;
      const isFirst = reader.left.stream === undefined;
      const begins = reader.opened(frame) === "begins";
      if (begins && (!isFirst || frame.at > 0)) onNote("Earlier output is not kept here any more.");
      wish = { terminal: frame.terminal, name: frame.name };
      isOpen = true;
      isAsked = false;
      screen.resize(frame);
      tellPlace();
      tellSize();
      typing.sendWaiting();
    },
    failed() {
      isAsked = false;
    },
    take(frame, payload) {
      if (!isOpen) return;
      if (frame.type === "output") reader.output(frame.at, payload);
      else screen.resize(frame);
    },
    attached(tab) {
      attached = tab;
    },
    renamed(name) {
      wish = { ...wish, name };
    },
    heard: typing.heard,
    away,
    cut() {
      away();
      typing.cut();
    },
    leave(next) {
      away();
      attached = undefined;
      wish = next;
      reader.forget();
      typing.shellGone();
    },
    input(text) {
      if (isOpen) typing.send(text);
      else if (wish) typing.keep(text);
    },
    discard: typing.drop,
    resize(next) {
      const isFirst = size === undefined;
      size = next;
      tellSize();
      return isFirst;
    },
    tellPlace,
  };
}

function attachmentOf(attached: string | undefined, own: string | undefined): Attachment {
  if (attached === undefined) return "nowhere";
  if (own === undefined) return "unknown";
  return attached === own ? "here" : "elsewhere";
}
