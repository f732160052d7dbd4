// Terminal modes (alternate screen, mouse, bracketed paste) stay on until switched off. A reader that starts in the
// middle needs their current state, or the wheel and the arrow keys would misbehave.

// oxlint-disable-next-line no-control-regex -- these are what it is about
const unfinished = /\u001b(?:\[[\d;?<=>!$ ]{0,64}|[\]P][^\u0007\u0018\u001a\u001b]*\u001b?)?$/;
const longest = 4096;

/** An incomplete escape sequence at the end of a text; empty if it is very long. */
export function unfinishedPart(text: string): string {
  return unfinished.exec(text.slice(-longest))?.[0] ?? "";
}

interface StickyModes {
  /** Tracks the modes of a piece of output. */
  pass(text: string): void;
  /** The sequences that restore the current modes in a fresh terminal. */
  text(): string;
}

/**
 * Private modes that affect later output and input: keys, wrapping, the cursor, the mouse, the other screen, pasting.
 */
const followed = new Set([1, 7, 9, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1047, 1049, 2004]);
const onAtFirst = new Set([7, 25, 1007]);

// oxlint-disable-next-line no-control-regex -- these are what it is about
const sequence = /\u001b(?:\[\?([\d;]+)([hl])|([=>])|(c))/g;

export function createStickyModes(): StickyModes {
  const modes = new Map<number, boolean>();
  let keypad = false;
  let rest = "";

  function take([, numbers, word, pad, reset]: RegExpMatchArray): void {
    if (pad !== undefined) keypad = pad === "=";
    if (reset !== undefined) {
      keypad = false;
      modes.clear();
    }
    for (const number of numbers?.split(";").map(Number) ?? []) {
      if (followed.has(number)) modes.set(number, word === "h");
    }
  }

  return {
    pass(text) {
      const whole = rest + text;
      for (const match of whole.matchAll(sequence)) take(match);
      rest = unfinishedPart(whole);
    },
    text() {
      const changed = [...modes].filter(([number, on]) => on !== onAtFirst.has(number));
      const each = changed.map(([number, on]) => `\u001b[?${number}${on ? "h" : "l"}`);
      return [keypad ? "\u001b=" : "", ...each, rest].join("");
    },
  };
}

/** The tail of a stream of text. Positions are in UTF-16 units from the start of the stream. */
export interface KeptOutput {
  readonly start: number;
  readonly end: number;
  add(text: string): void;
  /** The text from a position, up to a max length; never splits a character. */
  read(at: number, most: number): string;
  /** Drops the oldest text beyond `most`, but nothing from `needed` on. */
  trim(most: number, needed: number): void;
  /** The modes at the start of the kept text. */
  preface(): string;
}

interface Block {
  readonly at: number;
  text: string;
}

/** Small parts are joined to limit their number. */
const blockSize = 16_384;

export function createKeptOutput(): KeptOutput {
  const blocks: Block[] = [];
  const modes = createStickyModes();
  let end = 0;
  const startOf = () => blocks[0]?.at ?? end;

  function indexOf(at: number): number {
    // Most reads are near the end.
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
