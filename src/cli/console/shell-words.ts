/** Words as one line that a shell reads as these words: of Windows, or of everybody else. */
export function shellWords(words: readonly string[], platform: string): string {
  return words.map(platform === "win32" ? quoteForWindows : quoteForPosix).join(" ");
}

/** A line that runs a program with these variables, in any shell the user has. */
export function commandLine(
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
  platform: string,
): string {
  const line = shellWords(words, platform);
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  if (settings.length === 0) return line;
  if (platform !== "win32") return `${shellWords(["env", ...settings], platform)} ${line}`;
  // cmd removes the outer quotes, and leaves the others unchanged.
  return `cmd /c "${settings.map((setting) => `set ${setting}&& `).join("")}${line}"`;
}

function quoteForPosix(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!/["$`!\\]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteForWindows(word: string): string {
  if (/^[\w@+=:,./\\-]+$/.test(word)) return word;
  // Only backslashes before a quote must be doubled.
  return `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, "$1$1")}"`;
}
