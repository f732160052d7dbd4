/** Cuts a text into pieces of at most so many characters, none of which ends within one. */
export function piecesOf(text: string, most: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + most;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
