const maxAddress = 2048;

/** Empty unless it is an address of the web without credentials. */
export function addressOf(text: string): string {
  if (text.length > maxAddress || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return "";
  const { href, username, password } = new URL(text);
  return username || password || href.length > maxAddress ? "" : href;
}
