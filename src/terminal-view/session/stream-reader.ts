// Tracks the read position in a terminal's output, to resume without gaps or repeats. It acknowledges displayed output
// to the hub, which applies backpressure to programs that print faster than the screen can show.
import type { FrameToView } from "../../wire/index.ts";

/** A piece of output. */
export interface Output {
  readonly text: string;
  /** Call it once the output is shown. */
  shown(): void;
}

/** Displays a terminal. */
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

export interface StreamReader {
  /** The read position for an `open`, so that the hub sends only newer output. */
  readonly left: { readonly stream?: string; readonly from?: number };
  /** Starts reading, or continues; returns which. */
  opened(frame: Extract<FrameToView, { type: "opened" }>): "begins" | "goes on";
  output(at: number, text: string): void;
  /** The next output is another stream, even if it has the same name. */
  forget(): void;
}

/** Max characters shown before the hub gets an ack, unless nothing more is waiting to be shown. */
const seenStep = 64 * 1024;

export function createStreamReader(screen: TerminalScreen, sendSeen: (at: number) => void): StreamReader {
  let stream: string | undefined;
  let position = 0;
  let seen = 0;

  function tellSeen(at: number): void {
    if (at < position && at - seen < seenStep) return;
    seen = at;
    sendSeen(at);
  }

  return {
    get left() {
      return stream === undefined ? {} : { stream, from: position };
    },
    opened(frame) {
      const goesOn = frame.stream === stream && frame.at === position;
      if (!goesOn) {
        screen.reset();
        position = seen = frame.at;
      }
      stream = frame.stream;
      return goesOn ? "goes on" : "begins";
    },
    output(at, text) {
      const written = stream;
      const end = at + text.length;
      position = end;
      screen.write({ text, shown: () => written === stream && tellSeen(end) });
    },
    forget() {
      stream = undefined;
    },
  };
}
