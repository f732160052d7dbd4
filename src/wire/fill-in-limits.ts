import { PagewireError } from "./errors.ts";

/** The bounds in force: those that were said, and the defaults of the others. Refuses what is no bound by its name. */
export function fillInLimits<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  given: Partial<Readonly<Record<Name, number>>> = {},
): Readonly<Record<Name, number>> {
  const limits: Record<Name, number> = { ...defaults };
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined) continue;
    const isKnown = Object.hasOwn(defaults, name);
    if (!isKnown || typeof value !== "number" || !(value >= 0)) {
      const wrong = isKnown ? "must be a number of zero or more" : "is unknown";
      throw new PagewireError("options-invalid", `The limit "${name}" ${wrong}.`);
    }
    limits[name as Name] = value;
  }
  return limits;
}
