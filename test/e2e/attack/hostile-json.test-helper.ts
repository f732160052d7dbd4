// JSON that is hard to parse, and text that only begins like JSON.

/** A value, or text in place of one. */
export interface HostileValue {
  readonly text: string;
  /** Whether it is valid JSON without too deep nesting. */
  readonly isSound: boolean;
}

const mib = 1024 * 1024;
/** Almost the maximum size of a frame. */
const huge = 15 * mib;
const deep = 100_000;
const million = 1_000_000;

const times = (part: string, length: number) => part.repeat(Math.floor(length / part.length));
const inString = (part: string, length: number) => `"${times(part, length)}"`;
const listed = (one: string) => `[${`${one},`.repeat(million)}${one}]`;
const object = (length: number, key: (at: number) => string | number) =>
  `{${Array.from({ length }, (_, at) => `"${key(at)}":0`).join(",")}}`;

const unsound: Readonly<Record<string, () => string>> = {
  "lists in lists": () => "[".repeat(deep) + "]".repeat(deep),
  "lists that stay open": () => "[".repeat(deep),
  "lists that were never open": () => "]".repeat(deep),
  "objects in objects": () => `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`,
  "objects that stay open": () => '{"a":'.repeat(deep),
  "lists and objects by turns": () => `${'[{"a":'.repeat(deep)}1${"}]".repeat(deep)}`,
  "prototypes in prototypes": () => `${'{"__proto__":'.repeat(deep)}1${"}".repeat(deep)}`,
  "a text that stays open": () => `"${"x".repeat(mib)}`,
  "escapes that stay open": () => `"${"\\".repeat(mib)}`,
};

const sound: Readonly<Record<string, () => string>> = {
  "15 MB of digits": () => "1".repeat(huge),
  "a million digits behind a point": () => `0.${"0".repeat(million)}1`,
  "a million digits of an exponent": () => `1e-${"9".repeat(million)}`,
  "15 MB of escapes": () => inString(String.raw`\u0061`, huge),
  "escaped quotes": () => inString(String.raw`\"`, mib),
  "escaped backslashes": () => inString(String.raw`\\`, mib),
  "halves of surrogates": () => inString(String.raw`\ud800`, mib),
  "250,000 keys": () => object(250_000, (at) => `key${at}`),
  "100,000 numbers as keys, far from each other": () => object(100_000, (at) => at * 40_009),
  "one key a million times": () => `{${'"key":0,'.repeat(million)}"key":1}`,
  "a key of 1 MB": () => `{${inString("key", mib)}:1}`,
  "a million empty lists": () => listed("[]"),
  "a million empty texts": () => listed('""'),
  "40 lists, each full of empty ones": () => `${"[[],".repeat(40)}1${"]".repeat(40)}`,
  "40 prototypes": () => `${'{"__proto__":'.repeat(40)}1${"}".repeat(40)}`,
};

/** Every kind by its name, created on demand: together they are large. */
export function* hostileValues(): Generator<readonly [name: string, HostileValue]> {
  for (const [name, make] of Object.entries(unsound)) yield [name, { text: make(), isSound: false }];
  for (const [name, make] of Object.entries(sound)) yield [name, { text: make(), isSound: true }];
}
