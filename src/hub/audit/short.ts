const most = 256;

/** A text of a stranger's as long as a record has room for. It is copied: the whole of it is not kept for its beginning. */
export function short(text: string): string;
export function short(text: string | undefined): string | undefined;
export function short(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= most) return text;
  return `${Buffer.from(text.slice(0, most - 1)).toString()}…`;
}
