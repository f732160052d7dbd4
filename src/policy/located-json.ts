// Parses JSON that a person wrote: each value has its offset, so that errors have a position.
// Strict as JSON is, and stricter: a duplicate name in an object is refused, since a reader may overlook the second.
import { PagewireError } from "../wire/index.ts";

/** A value and the offset of its start. */
export type LocatedJson = { readonly at: number } & (
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, LocatedMember> }
  | { readonly kind: "list"; readonly items: readonly LocatedJson[] }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "other"; readonly value: number | boolean | null }
);

export interface LocatedMember {
  /** The offset of its name. */
  readonly at: number;
  readonly value: LocatedJson;
}

/** An error with the line and column in the text. */
export function problemAt(text: string, at: number, problem: string): PagewireError {
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return new PagewireError("options-invalid", `line ${before.length}, column ${column}: ${problem}`);
}

/** Throws an error with line and column if the text is not JSON or nests too deep. */
export function parseLocatedJson(text: string, deepest: number): LocatedJson {
  const reader = new Reader(text, deepest);
  const value = reader.value(0);
  reader.end();
  return value;
}

const space = /[ \t\r\n]*/y;
const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Reader {
  readonly #text: string;
  readonly #deepest: number;
  /** Some editors begin a file with a byte order mark. */
  #at: number;

  constructor(text: string, deepest: number) {
    this.#text = text;
    this.#deepest = deepest;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  value(depth: number): LocatedJson {
    this.#skip(space);
    const at = this.#at;
    if (depth > this.#deepest) throw this.#problem("This nests too deep.");
    switch (this.#text[at]) {
      case "{":
        return { at, kind: "object", members: this.#members(depth) };
      case "[":
        return { at, kind: "list", items: this.#items(depth) };
      case '"':
        return { at, kind: "text", value: this.#string() };
      default: {
        const found = this.#skip(word);
        if (!found) throw this.#problem("Here a value should be.");
        return { at, kind: "other", value: JSON.parse(found) as number | boolean | null };
      }
    }
  }

  /** Throws if anything follows the value. */
  end(): void {
    this.#skip(space);
    if (this.#at < this.#text.length) throw this.#problem("Here the file should end.");
  }

  #members(depth: number): ReadonlyMap<string, LocatedMember> {
    const members = new Map<string, LocatedMember>();
    this.#listed("}", () => {
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#problem('Here a name in double quotes should be, or "}".');
      const name = this.#string();
      if (members.has(name)) throw problemAt(this.#text, at, `"${name}" stands here a second time.`);
      this.#skip(space);
      if (this.#text[this.#at++] !== ":") throw this.#problem('Here ":" should be.', -1);
      members.set(name, { at, value: this.value(depth + 1) });
    });
    return members;
  }

  #items(depth: number): readonly LocatedJson[] {
    const items: LocatedJson[] = [];
    this.#listed("]", () => items.push(this.value(depth + 1)));
    return items;
  }

  /** Parses the items between two brackets, separated by commas. */
  #listed(end: "}" | "]", read: () => void): void {
    this.#at++;
    this.#skip(space);
    if (this.#text[this.#at] === end) return void this.#at++;
    for (;;) {
      read();
      this.#skip(space);
      const next = this.#text[this.#at++];
      if (next === end) return;
      if (next !== ",") throw this.#problem(`Here "," or "${end}" should be.`, -1);
      this.#skip(space);
    }
  }

  #string(): string {
    const from = this.#at++;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at];
      if (character === "\\") this.#at++;
      else if (character === '"') break;
    }
    try {
      return JSON.parse(this.#text.slice(from, ++this.#at)) as string;
    } catch {
      throw problemAt(this.#text, from, "This text has no end on its line, or holds what a text in JSON cannot.");
    }
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #problem(problem: string, moved = 0): PagewireError {
    return problemAt(this.#text, this.#at + moved, problem);
  }
}
