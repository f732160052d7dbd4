/** An address without its query and fragment, which may hold secrets. */
export function plainUrl(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
