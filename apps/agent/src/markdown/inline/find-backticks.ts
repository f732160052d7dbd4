/** Finds where a run of backticks ends the code that another of the same length began. Each place is looked at once. */
export function createBacktickFinder(text: string): (length: number, from: number) => number | undefined {
  let runs: Map<number, { readonly places: number[]; next: number }> | undefined;

  function gather() {
    const found = new Map<number, { readonly places: number[]; next: number }>();
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const ofLength = found.get(run.length);
      if (ofLength) ofLength.places.push(index);
      else found.set(run.length, { places: [index], next: 0 });
    }
    return found;
  }

  return (length, from) => {
    runs ??= gather();
    const ofLength = runs.get(length);
    if (!ofLength) return undefined;
    while ((ofLength.places[ofLength.next] ?? from) < from) ofLength.next += 1;
    return ofLength.places[ofLength.next];
  };
}
