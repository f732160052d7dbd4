import { resolveLimits } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";

/** The bounds in force, as a database can compare with them: none is without end. */
export function storeLimits(given: Partial<Limits> = {}): Limits {
  const bounded = Object.entries(resolveLimits(given)).map(([name, value]) => [
    name,
    Math.min(value, Number.MAX_SAFE_INTEGER),
  ]);
  return Object.fromEntries(bounded) as unknown as Limits;
}
