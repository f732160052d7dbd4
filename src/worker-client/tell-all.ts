/** Calls each listener. An error is reported and does not keep the others from being called. */
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
