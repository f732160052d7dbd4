// oxlint-disable-next-line no-control-regex -- these are what it is about
const unfinished = /\u001b(?:\[[\d;?<=>!$ ]{0,64}|[\]P][^\u0007\u0018\u001a\u001b]*\u001b?)?$/;
const longest = 4096;

/** The command to a terminal at the end of a text whose own end is missing; nothing of one that is very long. */
export function unfinishedPart(text: string): string {
  return unfinished.exec(text.slice(-longest))?.[0] ?? "";
}
