// Tracks the read position in a terminal's output, to resume without gaps or repeats. It acknowledges displayed output to the
// hub, which applies backpressure to programs that print faster than the screen can show.
import type { FrameToView } from "../../wire/index.ts";

/** A piece of output. */
export interface Output {
  readonly text: string;
  /** To be called once it is shown. */
  shown(): void;
}

/** What shows a terminal. */
export interface TerminalScreen {
  write(output: Output): void;
  /** What comes next has nothing to do with what is shown. */
  reset(): void;
  resize(size: Size): void;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface StreamReader {
  /** What to say in an `open`, to be sent what followed. */
  readonly left: { readonly stream?: string; readonly from?: number };
  /** Begins to read, or goes on; says which. */
  opened(frame: Extract<FrameToView, { type: "opened" }>): "begins" | "goes on";
  output(at: number, text: string): void;
  /** What comes next is another stream, even where it has the same name. */
  forget(): void;
}

/** So much is shown at most before the hub hears of it, unless nothing more is to be shown. */
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
