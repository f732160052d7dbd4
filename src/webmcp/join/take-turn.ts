// Of the pages in one document only one joins the browser's tools, or an agent would see each of them twice. By a symbol
// of the realm: they may have come with copies of this code of their own.
const realm: { [key: symbol]: (() => void)[] | undefined } = globalThis;
const key = Symbol.for("pagewire.browser-tools");

/** Starts something as soon as nobody before it in this document has its turn; returns what ends it. */
export function takeTurn(start: () => () => void): () => void {
  const waiting = (realm[key] ??= []);
  let stop: (() => void) | undefined;
  const begin = () => void (stop = start());
  waiting.push(begin);
  if (waiting[0] === begin) begin();
  return () => {
    const place = waiting.indexOf(begin);
    if (place < 0) return;
    waiting.splice(place, 1);
    stop?.();
    if (place === 0) waiting[0]?.();
  };
}
