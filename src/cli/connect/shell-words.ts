/** Words as one line that a shell reads as these words: of Windows, or of everybody else. */
export function shellWords(words: readonly string[], platform: string): string {
  return words.map(platform === "win32" ? quoteForWindows : quoteForPosix).join(" ");
}

function quoteForPosix(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!/["$`!\\]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteForWindows(word: string): string {
  if (/^[\w@+=:,./\\-]+$/.test(word)) return word;
  // Backslashes before a quote, and only those, have to be doubled.
  return `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, "$1$1")}"`;
}
