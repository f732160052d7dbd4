const longest = 4096;
const longestEscaped = 8192;
const alwaysFits = 1024;

/** A message for people, cut to what the header of a frame has room for: escapes make a text up to six times as long. */
export function shortMessage(message: string): string {
  if (message.length <= alwaysFits) return message;
  const cut = message.slice(0, longest);
  return JSON.stringify(cut).length <= longestEscaped ? cut : cut.slice(0, alwaysFits);
}
