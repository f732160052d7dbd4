// Reads a text from its start to its end, and says where it stopped making sense.

/** A place in a text that moves on with everything that is taken. */
export interface Scanner {
  readonly at: number;
  /** Takes what a sticky pattern finds here; undefined where it finds nothing. */
  take(pattern: RegExp): string | undefined;
  /** Takes this word if it stands here. */
  skip(word: string): boolean;
  /** Ends reading: the place, and what should have been there. */
  fail(expected: string): never;
}

/** A file that does not follow its own grammar; the message says where and what is missing. */
export class ConfigSyntaxError extends Error {
  override readonly name = "ConfigSyntaxError";
}

export function createScanner(text: string): Scanner {
  let at = 0;

  return {
    get at() {
      return at;
    },
    take(pattern) {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0];
      if (found !== undefined) at += found.length;
      return found;
    },
    skip(word) {
      const isHere = text.startsWith(word, at);
      if (isHere) at += word.length;
      return isHere;
    },
    fail(expected) {
      const before = text.slice(0, at);
      const line = before.split("\n").length;
      const column = at - before.lastIndexOf("\n");
      throw new ConfigSyntaxError(`line ${line}, column ${column}: ${expected}`);
    },
  };
}
