// Functions that shorten text.

const longest = 4096;
const longestEscaped = 8192;
const alwaysFits = 1024;

/** A message for people, cut to fit the header of a frame: escapes make a text up to six times as long. */
export function shortMessage(message: string): string {
  const cut = cutTo(longest, message);
  return JSON.stringify(cut).length <= longestEscaped ? cut : cutTo(alwaysFits, message);
}

function cutTo(most: number, message: string): string {
  return message.length > most ? `${message.slice(0, most - 1)}…` : message;
}

/** An address without its query and fragment, which may hold secrets. */
export function plainUrl(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
