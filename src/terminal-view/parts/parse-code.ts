/** Reads a code from what somebody pasted: the code itself, or the link that holds it; undefined where it is neither. */
export function parseCode(text: string): string | undefined {
  const code = text.trim().replace(/^.*#code=/, "");
  return /^[\w.~-]{8,8192}$/.test(code) ? code : undefined;
}
