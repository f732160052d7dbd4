// The terminal that a view shows or requests: its id, read position and input, and the hub's information about the
// view. Independent of the connection.
import type { FrameFromView, FrameToView } from "../../wire/index.ts";
import type { Attachment } from "./terminal-view.ts";
import { StreamReader } from "./stream-reader.ts";
import type { Size, TerminalScreen } from "./stream-reader.ts";
import { createTyping } from "./typing.ts";

type Frame<Type> = Extract<FrameToView, { type: Type }>;

/** The terminal to open: without an id, a new one. */
export interface Target {
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

export interface ShownTerminalParts {
  readonly screen: TerminalScreen;
  sendFrame(frame: FrameFromView, payload?: string): unknown;
  place(): Place;
  /** A transient notification for the user. */
  onNote(text: string): void;
}

export class ShownTerminal {
  /** The open or requested terminal; undefined after a shell ended, until another is requested. */
  target: Target | undefined;
  isOpen = false;
  /** Whether a request to open it is pending. */
  isRequested = false;
  readonly #parts: ShownTerminalParts;
  readonly #typing;
  readonly #reader;
  #size: Size | undefined;
  /** The size last sent to the hub. */
  #sentSize: Size | undefined;
  #attached: string | undefined;

  constructor(parts: ShownTerminalParts, first: Target) {
    this.#parts = parts;
    this.#typing = createTyping(parts);
    this.#reader = new StreamReader(parts.screen, (at) => parts.sendFrame({ type: "seen", at }));
    this.target = first;
  }

  get attachment(): Attachment {
    const own = this.#parts.place().tab;
    if (this.#attached === undefined) return "nowhere";
    if (own === undefined) return "unknown";
    return this.#attached === own ? "here" : "elsewhere";
  }

  /** Number of characters queued until the shell is reachable. */
  get waiting(): number {
    return this.isOpen ? 0 : this.#typing.waiting;
  }

  /** Asks the hub to open the target, once the view has a size. */
  request(): void {
    if (!this.#size || !this.target) return;
    this.isOpen = false;
    this.isRequested = true;
    this.#sentSize = this.#size;
    const { terminal, name } = this.target;
    const which = terminal !== undefined ? { terminal } : name !== undefined ? { name } : {};
    this.#parts.sendFrame({ type: "open", ...which, ...this.#size, ...this.#reader.left });
  }

  opened(frame: Frame<"opened">): void {
    if (!this.#isTarget(frame)) return;
    const isFirst = this.#reader.left.stream === undefined;
    const begins = this.#reader.opened(frame) === "begins";
    if (begins && (!isFirst || frame.at > 0)) this.#parts.onNote("Earlier output is not kept here any more.");
    this.target = { terminal: frame.terminal, name: frame.name };
    this.isOpen = true;
    this.isRequested = false;
    this.#parts.screen.resize(frame);
    this.sendPlace();
    this.#sendSize();
    this.#typing.sendWaiting();
  }

  /** The hub could not open it. */
  failed(): void {
    this.isRequested = false;
  }

  /** Handles output and size of the open terminal; ignores those of an earlier one. */
  receive(frame: Frame<"output" | "size">, payload: string): void {
    if (!this.isOpen) return;
    if (frame.type === "output") this.#reader.output(frame.at, payload);
    else this.#parts.screen.resize(frame);
  }

  attached(tab: string | undefined): void {
    this.#attached = tab;
  }

  renamed(name: string): void {
    this.target = { ...this.target, name };
  }

  /** A frame of the hub arrived, which confirms the input that was sent before. */
  confirmInput(): void {
    this.#typing.confirm();
  }

  /** The hub is unreachable. */
  away(): void {
    this.isOpen = this.isRequested = false;
  }

  /** The connection was lost, possibly with the last input. */
  disconnected(): void {
    this.away();
    this.#typing.disconnected();
  }

  /** Leaves the terminal, optionally for another one. */
  leave(next?: Target): void {
    this.away();
    this.#attached = undefined;
    this.target = next;
    this.#reader.forget();
    this.#typing.shellEnded();
  }

  input(text: string): void {
    if (this.isOpen) this.#typing.send(text);
    else if (this.target) this.#typing.queue(text);
  }

  discard(): void {
    this.#typing.drop();
  }

  /** Sets the view's size; returns whether it is the first one. */
  resize(size: Size): boolean {
    const isFirst = this.#size === undefined;
    this.#size = size;
    this.#sendSize();
    return isFirst;
  }

  sendPlace(): void {
    const { tab, isConnected, focused } = this.#parts.place();
    if (!this.isOpen) return;
    this.#parts.sendFrame({ type: "here", focused, ...(isConnected && tab !== undefined ? { tab } : {}) });
  }

  /** Not while opening: the frame would apply to the previous terminal. */
  #sendSize(): void {
    const size = this.#size;
    const sent = this.#sentSize;
    if (!this.isOpen || !size || (size.columns === sent?.columns && size.rows === sent.rows)) return;
    this.#sentSize = size;
    this.#parts.sendFrame({ type: "resize", ...size });
  }

  /** After two requests in a row the first is answered too: queued input is not for that one. */
  #isTarget({ terminal, isNew }: Frame<"opened">): boolean {
    const { terminal: wanted } = this.target ?? {};
    return this.target !== undefined && (wanted === undefined ? isNew : wanted === terminal);
  }
}
