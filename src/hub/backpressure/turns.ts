// Work that comes in floods, done a little at a time: between two times the event loop does everything else.

/** How long it may go on at one time, in milliseconds. */
const longest = 8;

/** Runs what it is given in its order: at once where little came in this turn of the event loop, and else in a later one. */
export function createTurns(): (work: () => void) => void {
  let waiting: (() => void)[] = [];
  let done = 0;
  let until = 0;

  /** A turn begins, whose end is to be noticed. */
  function begin(): void {
    until = performance.now() + longest;
    setImmediate(end);
  }

  function end(): void {
    until = 0;
    if (waiting.length === 0) return;
    begin();
    while (done < waiting.length && performance.now() < until) waiting[done++]?.();
    if (done < waiting.length) return;
    waiting = [];
    done = 0;
  }

  return (work) => {
    if (until === 0) begin();
    if (waiting.length === 0 && performance.now() < until) work();
    else waiting.push(work);
  };
}
