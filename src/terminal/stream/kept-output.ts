import { createStickyModes } from "./sticky-modes.ts";

/** The last part of a stream of text. Places in it are counted in UTF-16 units from its beginning. */
export interface KeptOutput {
  readonly start: number;
  readonly end: number;
  add(text: string): void;
  /** At most so much of what follows a place, and no half of a character. */
  read(at: number, most: number): string;
  /** Forgets the oldest where more is kept than `most`, but nothing from `needed` on. */
  trim(most: number, needed: number): void;
  /** What a terminal must be told that begins to read at the start. */
  preface(): string;
}

interface Block {
  readonly at: number;
  text: string;
}

/** Small parts are joined, so that there are not too many of them, and forgotten together. */
const blockSize = 16_384;

export function createKeptOutput(): KeptOutput {
  const blocks: Block[] = [];
  const modes = createStickyModes();
  let end = 0;
  const startOf = () => blocks[0]?.at ?? end;

  function indexOf(at: number): number {
    // Most read what came last.
    for (let index = blocks.length - 1; index > 0; index--) if ((blocks[index]?.at ?? 0) <= at) return index;
    return 0;
  }

  return {
    get start() {
      return startOf();
    },
    get end() {
      return end;
    },
    add(text) {
      if (text === "") return;
      const last = blocks.at(-1);
      if (last && last.text.length + text.length <= blockSize) last.text += text;
      else blocks.push({ at: end, text });
      end += text.length;
    },
    read(at, most) {
      const parts: string[] = [];
      let left = most;
      for (let index = indexOf(at); left > 0 && index < blocks.length; index++) {
        const { at: begins = 0, text = "" } = blocks[index] ?? {};
        const from = Math.max(0, at - begins);
        const part = text.slice(from, from + left);
        left -= part.length;
        parts.push(part);
      }
      return wholeCharacters(parts.join(""));
    },
    trim(most, needed) {
      let count = 0;
      for (const { at, text } of blocks) {
        if (end - at <= most || at + text.length > needed) break;
        modes.pass(text);
        count++;
      }
      blocks.splice(0, count);
    },
    preface: () => modes.text(),
  };
}

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 && text.length > 1 ? text.slice(0, -1) : text;
}
