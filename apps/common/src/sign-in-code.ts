/** Takes the one-time code from an address, and removes it from the address bar. */
export function takeCode(
  { hash, pathname, search }: Pick<Location, "hash" | "pathname" | "search">,
  history: Pick<History, "replaceState">,
): string | undefined {
  if (!hash.startsWith("#code=")) return undefined;
  history.replaceState(null, "", pathname + search);
  return parseCode(hash);
}

/** Parses a pasted code, or the link with it. */
export function parseCode(text: string): string | undefined {
  const code = text.trim().replace(/^.*#code=/, "");
  return /^[\w.~-]{8,8192}$/.test(code) ? code : undefined;
}
