// A second JSON parser, with a different design than the runtime's: character by character, the last name wins.

/** Parses JSON text; throws if it is invalid, or nests deeper than the stack. */
export function readJson(text: string): unknown {
  const reader = { text, at: 0 };
  const value = readValue(reader);
  skipSpace(reader);
  if (reader.at < text.length) throw new SyntaxError(`There is more after the value, at ${reader.at}.`);
  return value;
}

interface Reader {
  readonly text: string;
  at: number;
}

function readValue(reader: Reader): unknown {
  skipSpace(reader);
  const start = reader.text[reader.at];
  if (start === "{") return readObject(reader);
  if (start === "[") return readArray(reader);
  if (start === '"') return readString(reader);
  const word = readPattern(reader, /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null/y);
  if (word === "true" || word === "false") return word === "true";
  return word === "null" ? null : Number(word);
}

function readObject(reader: Reader): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  readList(reader, "}", () => {
    skipSpace(reader);
    const name = readString(reader);
    expectCharacter(reader, ":");
    value[name] = readValue(reader);
  });
  return value;
}

function readArray(reader: Reader): unknown[] {
  const values: unknown[] = [];
  readList(reader, "]", () => values.push(readValue(reader)));
  return values;
}

function readList(reader: Reader, end: string, readOne: () => void): void {
  reader.at++;
  skipSpace(reader);
  if (reader.text[reader.at] === end) return void reader.at++;
  for (;;) {
    readOne();
    skipSpace(reader);
    if (reader.text[reader.at] === end) return void reader.at++;
    expectCharacter(reader, ",");
  }
}

function readString(reader: Reader): string {
  const whole = readPattern(reader, /"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
  if (Buffer.from(whole).some((byte) => byte < 32)) throw new SyntaxError("A string holds a raw control character.");
  return whole.slice(1, -1).replace(/\\(u(....)|.)/g, (_, escape: string, code: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    const plain: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
    return plain[escape] ?? escape;
  });
}

function readPattern(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  if (found === undefined) throw new SyntaxError(`There is no value at ${reader.at}.`);
  reader.at += found.length;
  return found;
}

function expectCharacter(reader: Reader, character: string): void {
  skipSpace(reader);
  if (reader.text[reader.at] !== character) throw new SyntaxError(`There is no ${character} at ${reader.at}.`);
  reader.at++;
}

function skipSpace(reader: Reader): void {
  while (/[ \t\n\r]/.test(reader.text[reader.at] ?? "")) reader.at++;
}
