/** The largest text that is pasted, in characters. */
export const longestPaste = 4 * 1024 * 1024;

/**
 * A text as it may be pasted: without the control characters that would end a bracketed paste, or that a program would
 * take for keys. Tabs and line ends stay.
 */
export function cleanPaste(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, "");
}
