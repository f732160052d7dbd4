// Much of what a program prints asks for something to be done, not shown. Whoever shows it a second time, or beside
// another who does it, must leave that out: answers would be typed twice, and a clipboard would be overwritten.

const escape = "\\u001b";
const end = `(?:\\u0007|${escape}\\\\)`;
const within = "[^\\u0007\\u001b]*";

/** What makes a terminal answer: its kind, its state, its size, its colours, what it supports. And the clipboard. */
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

const pattern = new RegExp(requests.join("|"), "g");

/** A request that may be of any length, and whose end has not come yet. */
const begun = new RegExp(`${escape}(?:\\]52;|P[$+]q)${within}$`);
// oxlint-disable-next-line no-control-regex -- these are what it is about
const endOfString = /[\u0007\u0018\u001a\u001b]/;

/** The text of one reader, part after part, without requests. */
export interface Mute {
  /** Whether what comes next belongs to a request. */
  readonly isWithin: boolean;
  /** The part as long as before: a terminal shows nothing for a NUL. */
  take(text: string): string;
}

/** Parts may end within a long request, and not within a short one. */
export function createMute(): Mute {
  let isWithin = false;

  return {
    get isWithin() {
      return isWithin;
    },
    take(text) {
      const end = isWithin ? text.search(endOfString) : 0;
      if (end === -1) return nothing(text);
      // The other end, ESC and a backslash, does nothing on its own; a bell would ring.
      const from = isWithin && text[end] !== "\u001b" ? end + 1 : end;
      const rest = mute(text.slice(from));
      const cut = rest.search(begun);
      isWithin = cut !== -1;
      return nothing(text.slice(0, from)) + (isWithin ? rest.slice(0, cut) + nothing(rest.slice(cut)) : rest);
    },
  };
}

/** The same text without requests that are whole. */
export function mute(text: string): string {
  return text.includes("\u001b") ? text.replaceAll(pattern, nothing) : text;
}

function nothing(text: string): string {
  return "\0".repeat(text.length);
}
