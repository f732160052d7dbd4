// The text of one paragraph, while its elements are read.

/** How an inline element's text is written. */
export interface Wrapping {
  wrap(text: string): string;
  /** If blocks divide the element, only its first part is wrapped. */
  readonly isOnce?: boolean;
  /** Written if the element has no text. */
  readonly instead?: string;
}

/** Ends what a method began. */
export type Leave = () => void;

export interface Line {
  /** Lines and spaces stay as they are. */
  isCode: boolean;
  /** The characters so far, also those that were taken. */
  readonly size: number;
  text(data: string): void;
  /** A text that stays as it is. */
  push(piece: string): void;
  /** In code: unless one was just begun. */
  newLine(): void;
  /** Elements that are nested deeper than the others are not wrapped. */
  wrapped(wrapping: Wrapping): Leave;
  /** The text that was written since the last time. Open elements go on in the next line. */
  take(): string;
}

interface Mark extends Wrapping {
  from: number;
  isDone: boolean;
}

const mostMarks = 16;

export function createLine(): Line {
  const marks: Mark[] = [];
  let pieces: string[] = [];
  let endsInSpace = true;
  let size = 0;

  function push(piece: string): void {
    if (piece === "") return;
    pieces.push(piece);
    size += piece.length;
    endsInSpace = /\s$/.test(piece);
  }

  function close(mark: Mark): void {
    const inner = pieces.splice(mark.from).join("");
    const words = inner.trim();
    const isPlain = words === "" || (mark.isOnce === true && mark.isDone);
    if (words !== "") mark.isDone = true;
    const start = inner.length - inner.trimStart().length;
    const whole = isPlain ? inner : inner.slice(0, start) + mark.wrap(words) + inner.slice(start + words.length);
    if (whole !== "") pieces.push(whole);
    size += whole.length - inner.length;
  }

  return {
    isCode: false,
    get size() {
      return size;
    },
    text(data) {
      if (this.isCode) return push(data);
      const piece = data.replace(/\s+/g, " ");
      push(endsInSpace ? piece.trimStart() : piece);
    },
    push,
    newLine() {
      if (!this.isCode || (pieces.length > 0 && !pieces.at(-1)?.endsWith("\n"))) push("\n");
    },
    wrapped(wrapping) {
      if (this.isCode || marks.length >= mostMarks) return () => {};
      const mark: Mark = { ...wrapping, from: pieces.length, isDone: false };
      marks.push(mark);
      return () => {
        marks.pop();
        close(mark);
        if (!mark.isDone && wrapping.instead) push(wrapping.instead);
      };
    },
    take() {
      if (!this.isCode) for (const mark of marks.toReversed()) close(mark);
      const line = pieces.join("");
      pieces = [];
      for (const mark of marks) mark.from = 0;
      endsInSpace = true;
      if (this.isCode) return line;
      return line
        .trim()
        .replace(/ ?\n ?/g, "\n")
        .replace(/\n{3,}/g, "\n\n");
    },
  };
}

/** More backticks than the text has in a row. */
export function fenceFor(text: string, least: number): string {
  let length = least;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  return "`".repeat(length);
}
