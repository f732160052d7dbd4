/** In place of `URL.canParse`: Node 20 answers that wrongly for text outside ASCII once the call is optimized. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
