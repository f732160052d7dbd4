/** Text as lines of at most so many characters, broken between words. A word that is longer has a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

/** The same, with every line after so many spaces. */
export function indent(text: string, spaces: number, width: number): readonly string[] {
  return wrap(text, Math.max(NARROWEST, width - spaces)).map((line) => " ".repeat(spaces) + line);
}

/** What a line has at least, however narrow the terminal is. */
const NARROWEST = 20;
