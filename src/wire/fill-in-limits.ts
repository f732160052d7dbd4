/** The bounds in force: those that were said, and the defaults of the others. Refuses what is no bound by its name. */
export function fillInLimits<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  given: Partial<Readonly<Record<Name, number>>> = {},
): Readonly<Record<Name, number>> {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) throw new RangeError(`There is no limit named "${name}".`);
    if (typeof value !== "number" || !(value >= 0)) {
      throw new RangeError(`The limit "${name}" must be a number of zero or more, not ${String(value)}.`);
    }
  }
  return { ...defaults, ...given };
}
