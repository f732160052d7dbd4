import type { Block } from "./create-blocks.ts";

/** The characters of one part. */
export const longestPart = 20_000;

/** A page's blocks, in parts that end with a block; only a block that is longer than a part is divided. */
export function inParts(blocks: readonly Block[], longest = longestPart): readonly string[] {
  const parts: string[] = [];
  let pieces: string[] = [];
  let length = 0;
  const end = () => {
    if (pieces.length > 0) parts.push(pieces.join(""));
    pieces = [];
    length = 0;
  };
  for (const { text, isTight } of blocks) {
    for (const piece of divided(text, longest)) {
      const glue = isTight ? "\n" : "\n\n";
      if (length + glue.length + piece.length > longest) end();
      const added = pieces.length > 0 ? glue + piece : piece;
      pieces.push(added);
      length += added.length;
    }
  }
  end();
  return parts;
}

/** At the end of a line, else between words, else where it has to be, but never within a character. */
function divided(text: string, longest: number): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > longest) {
    const piece = text.slice(from, from + longest);
    const [line, word] = [piece.lastIndexOf("\n"), piece.lastIndexOf(" ")];
    const isSplit = /[\uD800-\uDBFF]$/.test(piece);
    const length = line > 0 ? line : word > 0 ? word : isSplit ? longest - 1 : longest;
    pieces.push(piece.slice(0, length));
    from += length + (line > 0 || word > 0 ? 1 : 0);
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece !== "");
}
