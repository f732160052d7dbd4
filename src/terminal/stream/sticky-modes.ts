// What output switched on stays on for all that follows: the other screen, the mouse, bracketed paste. Whoever begins to
// read in the middle must be told, or the wheel and the arrow keys would do something else.
import { unfinishedPart } from "./unfinished-part.ts";

export interface StickyModes {
  /** This went by. */
  pass(text: string): void;
  /** What brings a fresh terminal to where all that went by has left one. */
  text(): string;
}

/** Private modes that matter to what follows: keys, wrapping, the cursor, the mouse, the other screen, pasting. */
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
