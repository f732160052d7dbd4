// Spreads floods of work over turns of the event loop.

/** Max milliseconds of work per turn. */
const longest = 8;

/** Returns a function that runs work in order: at once while this turn has time left, otherwise in a later one. */
export function createTurns(): (work: () => void) => void {
  let waiting: (() => void)[] = [];
  let done = 0;
  let until = 0;

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
