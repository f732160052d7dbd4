// Tracks the read position in a terminal's output, to resume without gaps or repeats. It acknowledges displayed output
// to the hub, which applies backpressure to programs that print faster than the screen can show.
import type { FrameToView } from "../../wire/index.ts";

export interface Output {
  readonly text: string;
  /** Call it once the output is shown. */
  shown(): void;
}

export interface TerminalScreen {
  write(output: Output): void;
  /** Clears the display: the next output is unrelated to the current one. */
  reset(): void;
  resize(size: Size): void;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Max characters shown before the hub gets an ack, unless nothing more is waiting to be shown. */
const ackStep = 64 * 1024;

export class StreamReader {
  readonly #screen: TerminalScreen;
  readonly #sendSeen: (at: number) => void;
  #stream: string | undefined;
  #position = 0;
  #seen = 0;

  constructor(screen: TerminalScreen, sendSeen: (at: number) => void) {
    this.#screen = screen;
    this.#sendSeen = sendSeen;
  }

  /** The read position for an `open`, so that the hub sends only newer output. */
  get left(): { readonly stream?: string; readonly from?: number } {
    return this.#stream === undefined ? {} : { stream: this.#stream, from: this.#position };
  }

  /** Starts reading, or continues; returns which. */
  opened(frame: Extract<FrameToView, { type: "opened" }>): "begins" | "goes on" {
    const goesOn = frame.stream === this.#stream && frame.at === this.#position;
    if (!goesOn) {
      this.#screen.reset();
      this.#position = this.#seen = frame.at;
    }
    this.#stream = frame.stream;
    return goesOn ? "goes on" : "begins";
  }

  output(at: number, text: string): void {
    const written = this.#stream;
    const end = at + text.length;
    this.#position = end;
    this.#screen.write({ text, shown: () => written === this.#stream && this.#ack(end) });
  }

  /** The next output is another stream, even if it has the same name. */
  forget(): void {
    this.#stream = undefined;
  }

  #ack(at: number): void {
    if (at < this.#position && at - this.#seen < ackStep) return;
    this.#seen = at;
    this.#sendSeen(at);
  }
}
