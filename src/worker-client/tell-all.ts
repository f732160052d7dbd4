/** Tells each of them; one that throws is reported and keeps nothing from the others. */
export function tellAll<Values extends unknown[]>(
  listeners: Iterable<(...values: Values) => void>,
  ...values: Values
): void {
  for (const listener of listeners) {
    try {
      listener(...values);
    } catch (error) {
      reportError(error);
    }
  }
}
