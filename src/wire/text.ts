// Messages and addresses as text.

const longest = 4096;
const longestEscaped = 8192;
const alwaysFits = 1024;

/** A message for people, cut to fit the header of a frame: escapes make a text up to six times as long. */
export function shortMessage(message: string): string {
  const cut = cutTo(longest, message);
  return JSON.stringify(cut).length <= longestEscaped ? cut : cutTo(alwaysFits, message);
}

function cutTo(max: number, message: string): string {
  return message.length > max ? `${message.slice(0, max - 1)}…` : message;
}

/** An address without its query and fragment, which may hold secrets. */
export function plainUrl(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/** In place of `URL.canParse`: Node 20 answers that wrongly for text outside ASCII once the call is optimized. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
