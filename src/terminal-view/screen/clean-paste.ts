/** Max characters of a paste. */
export const longestPaste = 4 * 1024 * 1024;

/**
 * Removes control characters from a paste: they could end a bracketed paste, or act as keys. Keeps tabs and line ends.
 */
export function cleanPaste(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, "");
}
