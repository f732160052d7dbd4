/** One word of a command, for a shell or for tmux, whatever it holds. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
