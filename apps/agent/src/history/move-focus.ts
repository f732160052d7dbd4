const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Moves the focus among the elements of a list by the arrow keys, Home and End. */
export function moveFocus(event: KeyboardEvent, elements: Iterable<HTMLElement>): void {
  const all = [...elements];
  const index = all.findIndex((element) => element === document.activeElement);
  const next = index < 0 ? undefined : steps[event.key]?.(index, all.length);
  if (next === undefined) return;
  event.preventDefault();
  all[next]?.focus();
}
