/** Quotes a word for a shell or for tmux. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
