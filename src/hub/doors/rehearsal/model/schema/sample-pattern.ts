// Makes a text for a regular expression of the usual kind: letters, classes, groups, alternatives and counts.
// What it cannot read it leaves out; whoever uses the text checks it against the pattern.

export interface PatternSampling {
  readonly least: number;
  readonly variant: number;
}

interface Reader {
  readonly pattern: string;
  at: number;
  /** How often something is repeated that may be repeated more often than it must. */
  readonly more: number;
  readonly variant: number;
}

/** A few texts that a pattern may match, shortest first. */
export function* samplePattern(pattern: string, { least, variant }: PatternSampling): Generator<string> {
  for (const more of [0, 1, 2, Math.min(least, 1024)]) {
    if (pattern.length > 1024) return;
    yield readAlternatives({ pattern, at: 0, more, variant });
  }
}

function readAlternatives(reader: Reader): string {
  const texts = [readSequence(reader)];
  while (reader.pattern[reader.at] === "|") {
    reader.at++;
    texts.push(readSequence(reader));
  }
  return texts[reader.variant % texts.length] ?? "";
}

function readSequence(reader: Reader): string {
  let text = "";
  while (reader.at < reader.pattern.length && !"|)".includes(reader.pattern[reader.at] ?? "")) {
    const one = readAtom(reader);
    text += one.repeat(Math.min(readCount(reader), 4096));
    if (text.length > 65_536) return text;
  }
  return text;
}

function readAtom(reader: Reader): string {
  const character = Array.from(reader.pattern.slice(reader.at, reader.at + 2))[0] ?? "";
  reader.at += character.length;
  if (character === "^" || character === "$") return "";
  if (character === ".") return pick(reader, "abcdefghijklmnopqrstuvwxyz");
  if (character === "[") return readClass(reader);
  if (character === "\\") return readEscape(reader);
  if (character !== "(") return character;
  const kind = /^\?(:|=|!|<=|<!|<[^>=!]+>)/.exec(reader.pattern.slice(reader.at))?.[0] ?? "";
  reader.at += kind.length;
  const inside = readAlternatives(reader);
  reader.at++;
  return /^\?<?[=!]/.test(kind) ? "" : inside;
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyz";

function readEscape(reader: Reader): string {
  const character = reader.pattern[reader.at++] ?? "";
  if (character === "d") return pick(reader, digits.slice(1));
  if (character === "w") return pick(reader, letters);
  if (character === "s") return " ";
  if (character === "p" || character === "P") {
    const property = /^\{[^}]*\}/.exec(reader.pattern.slice(reader.at))?.[0] ?? "";
    reader.at += property.length;
    return /Lu/.test(property) ? pick(reader, letters.toUpperCase()) : /N/.test(property) ? "1" : pick(reader, letters);
  }
  if (character === "b" || character === "B") return "";
  if (character === "D" || character === "S" || character === "W") return character === "W" ? "-" : "a";
  return { n: "\n", t: "\t", r: "\r" }[character] ?? character;
}

function readClass(reader: Reader): string {
  const start = reader.at;
  if (reader.pattern[reader.at] === "^") reader.at++;
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== "]")
    reader.at += reader.pattern[reader.at] === "\\" ? 2 : 1;
  const text = reader.pattern.slice(start, reader.at++);
  const candidates = `${letters}1234567890${letters.toUpperCase()}-_ .,:/#@+`;
  const pattern = toPattern(`[${text}]`);
  return pattern
    ? pick(
        reader,
        Array.from(candidates)
          .filter((one) => pattern.test(one))
          .join("") || text.slice(0, 1),
      )
    : "";
}

function toPattern(source: string): RegExp | undefined {
  try {
    return new RegExp(`^${source}$`, "u");
  } catch {
    return undefined;
  }
}

function readCount(reader: Reader): number {
  const [whole = "", least, comma, most] =
    /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at)) ?? [];
  reader.at += whole.length;
  if (whole === "") return 1;
  if (whole.startsWith("?")) return Math.min(1, reader.more);
  if (whole.startsWith("*")) return reader.more;
  if (whole.startsWith("+")) return Math.max(1, reader.more);
  const must = Number(least);
  return comma ? Math.min(must + reader.more, most ? Number(most) : Infinity) : must;
}

function pick({ variant }: Reader, from: string): string {
  const characters = Array.from(from);
  return characters[variant % characters.length] ?? "";
}
