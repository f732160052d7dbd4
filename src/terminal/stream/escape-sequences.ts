// Escape sequences that cannot be cut out of a stream of output and replayed as they are: incomplete ones, modes that
// stay on, and requests to the terminal.

const escape = "\\u001b";
const end = `(?:\\u0007|${escape}\\\\)`;
const within = "[^\\u0007\\u001b]*";

// oxlint-disable-next-line no-control-regex -- these are what it is about
const unfinished = /\u001b(?:\[[\d;?<=>!$ ]{0,64}|[\]P][^\u0007\u0018\u001a\u001b]*\u001b?)?$/;
const maxUnfinished = 4096;

/** An incomplete escape sequence at the end of a text; empty if it is very long. */
export function unfinishedPart(text: string): string {
  return unfinished.exec(text.slice(-maxUnfinished))?.[0] ?? "";
}

/**
 * Private modes that affect later output and input: keys, wrapping, the cursor, the mouse, the other screen, pasting.
 */
const followed = new Set([1, 7, 9, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1047, 1049, 2004]);
const onAtFirst = new Set([7, 25, 1007]);

// oxlint-disable-next-line no-control-regex -- these are what it is about
const modeChange = /\u001b(?:\[\?([\d;]+)([hl])|([=>])|(c))/g;

/**
 * Tracks the terminal modes (alternate screen, mouse, bracketed paste), which stay on until switched off. A reader that
 * starts in the middle needs their current state, or the wheel and the arrow keys would misbehave.
 */
export class StickyModes {
  readonly #modes = new Map<number, boolean>();
  #keypad = false;
  #rest = "";

  /** Tracks the modes of a piece of output. */
  pass(text: string): void {
    const whole = this.#rest + text;
    for (const match of whole.matchAll(modeChange)) this.#apply(match);
    this.#rest = unfinishedPart(whole);
  }

  /** The sequences that restore the current modes in a fresh terminal. */
  text(): string {
    const changed = [...this.#modes].filter(([number, on]) => on !== onAtFirst.has(number));
    const each = changed.map(([number, on]) => `\u001b[?${number}${on ? "h" : "l"}`);
    return [this.#keypad ? "\u001b=" : "", ...each, this.#rest].join("");
  }

  #apply([, numbers, change, pad, reset]: RegExpMatchArray): void {
    if (pad !== undefined) this.#keypad = pad === "=";
    if (reset !== undefined) {
      this.#keypad = false;
      this.#modes.clear();
    }
    for (const number of numbers?.split(";").map(Number) ?? []) {
      if (followed.has(number)) this.#modes.set(number, change === "h");
    }
  }
}

/** Queries that a terminal answers (type, state, size, colours, features), and clipboard access. */
const requests = [
  `${escape}\\[[?>=]?[\\d;]*[cnx]`,
  `${escape}\\[\\??[\\d;]*\\$p`,
  `${escape}\\[>\\d*q`,
  `${escape}\\[\\?u`,
  `${escape}\\[(?:1[13-9]|2[01])(?:;\\d*)*t`,
  `${escape}\\](?:4;\\d+|1[0-9]);\\?${end}`,
  `${escape}\\]52;${within}${end}`,
  `${escape}P[$+]q${within}${escape}\\\\`,
];

const request = new RegExp(requests.join("|"), "g");

/** The start of a request of any length, still incomplete. */
const begun = new RegExp(`${escape}(?:\\]52;|P[$+]q)${within}$`);
// oxlint-disable-next-line no-control-regex -- these are what it is about
const endOfString = /[\u0007\u0018\u001a\u001b]/;

/**
 * Strips the requests from one reader's text, part by part. In a replay, or in a second view, answers would be typed
 * twice, and the clipboard overwritten. Parts may end within a long request, but not within a short one.
 */
export class RequestFilter {
  #isWithin = false;

  /** Whether the next part continues a request. */
  get isWithin(): boolean {
    return this.#isWithin;
  }

  /** Keeps the length by filling with NULs, which a terminal ignores. */
  strip(text: string): string {
    const end = this.#isWithin ? text.search(endOfString) : 0;
    if (end === -1) return blank(text);
    // A terminator ESC \ alone is harmless, but a BEL would ring.
    const from = this.#isWithin && text[end] !== "\u001b" ? end + 1 : end;
    const rest = stripRequests(text.slice(from));
    const cut = rest.search(begun);
    this.#isWithin = cut !== -1;
    return blank(text.slice(0, from)) + (this.#isWithin ? rest.slice(0, cut) + blank(rest.slice(cut)) : rest);
  }
}

/** Removes complete requests. */
export function stripRequests(text: string): string {
  return text.includes("\u001b") ? text.replaceAll(request, blank) : text;
}

function blank(text: string): string {
  return "\0".repeat(text.length);
}
