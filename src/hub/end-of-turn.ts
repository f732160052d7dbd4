const due: (() => void)[] = [];

/** Runs when all that came in this turn of the event loop has been read, after what was asked for before. */
export function atEndOfTurn(run: () => void): void {
  if (due.length === 0) setImmediate(endTurn);
  due.push(run);
}

/** What is asked for meanwhile still belongs to this turn. */
function endTurn(): void {
  for (const run of due) run();
  due.length = 0;
}
