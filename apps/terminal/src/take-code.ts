/** The one-time code in an address, which is gone from the address bar when this returns. */
export function takeCode(
  { hash, pathname, search }: Pick<Location, "hash" | "pathname" | "search">,
  history: Pick<History, "replaceState">,
): string | undefined {
  const [, code] = /^#code=([\w.~-]{8,8192})$/.exec(hash) ?? [];
  if (hash.startsWith("#code=")) history.replaceState(null, "", pathname + search);
  return code;
}
