// Some output requests an answer or an action instead of showing text. A replay, or a second view, must strip these
// requests: answers would be typed twice, and the clipboard overwritten.

const escape = "\\u001b";
const end = `(?:\\u0007|${escape}\\\\)`;
const within = "[^\\u0007\\u001b]*";

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

const pattern = new RegExp(requests.join("|"), "g");

/** The start of a request of any length, still incomplete. */
const begun = new RegExp(`${escape}(?:\\]52;|P[$+]q)${within}$`);
// oxlint-disable-next-line no-control-regex -- these are what it is about
const endOfString = /[\u0007\u0018\u001a\u001b]/;

/** Strips requests from one reader's text, part by part. */
export interface Mute {
  /** Whether the next part continues a request. */
  readonly isWithin: boolean;
  /** Keeps the length by filling with NULs, which a terminal ignores. */
  take(text: string): string;
}

/** Parts may end within a long request, but not within a short one. */
export function createMute(): Mute {
  let isWithin = false;

  return {
    get isWithin() {
      return isWithin;
    },
    take(text) {
      const end = isWithin ? text.search(endOfString) : 0;
      if (end === -1) return nothing(text);
      // A stray terminator ESC \ is harmless, but a BEL would ring.
      const from = isWithin && text[end] !== "\u001b" ? end + 1 : end;
      const rest = mute(text.slice(from));
      const cut = rest.search(begun);
      isWithin = cut !== -1;
      return nothing(text.slice(0, from)) + (isWithin ? rest.slice(0, cut) + nothing(rest.slice(cut)) : rest);
    },
  };
}

/** Removes complete requests. */
export function mute(text: string): string {
  return text.includes("\u001b") ? text.replaceAll(pattern, nothing) : text;
}

function nothing(text: string): string {
  return "\0".repeat(text.length);
}
