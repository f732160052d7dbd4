import type { Json } from "../../wire/index.ts";

/** The value with something added to the end of the text or list at a place in it; undefined where there is none. */
export function grow(
  value: Json | undefined,
  added: string | readonly Json[],
  path: readonly (string | number)[],
): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (typeof value === "string" && typeof added === "string") return value + added;
    return Array.isArray(value) && Array.isArray(added) ? [...(value as Json[]), ...(added as Json[])] : undefined;
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
  const grown = grow((value as Readonly<Record<string | number, Json>>)[step], added, rest);
  if (grown === undefined) return undefined;
  return Array.isArray(value)
    ? (value as Json[]).with(step as number, grown)
    : Object.fromEntries(Object.entries(value).map(([key, field]) => [key, key === step ? grown : field]));
}
