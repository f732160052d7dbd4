import type { Io, MaybeTerminal } from "./io.ts";
import { jsonText } from "./plain-text.ts";

/** Ways to make text stand out; each gives the text back as it is where there are no colours. */
export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** The command's output: results go to stdout, everything else to stderr. */
export interface Printer {
  /** Whether output is for programs. */
  readonly json: boolean;
  readonly out: Style;
  readonly err: Style;
  line(text?: string): void;
  /** Something beside the answer. */
  note(text: string): void;
  /** The answer, or a part of it, as one line of JSON. */
  data(value: unknown): void;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function createPrinter({ stdout, stderr, environment }: Io, json: boolean): Printer {
  const styleFor = (stream: MaybeTerminal<object>) => createStyle(isColourful(stream, environment));
  return {
    json,
    out: styleFor(stdout),
    err: styleFor(stderr),
    line: (text = "") => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    data: (value) => void stdout.write(`${jsonText(value)}\n`),
  };
}

function isColourful({ isTTY }: { readonly isTTY?: boolean }, { NO_COLOR, TERM }: Io["environment"]): boolean {
  return isTTY === true && !NO_COLOR && TERM !== "dumb";
}

function createStyle(isOn: boolean): Style {
  const paint = (code: number) => (text: string) => (isOn && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, paint(code)])) as Style;
}
