import type { Json } from "../../wire/index.ts";

/** The path at which a value grew, and the added part. */
export interface FoundGrowth {
  readonly path: readonly (string | number)[];
  readonly added: string | readonly Json[];
}

/** The part that was appended within a value, when nothing else changed. */
export function findGrowth(before: Json, after: Json): FoundGrowth | undefined {
  if (typeof before === "string" && typeof after === "string") {
    return after.startsWith(before) ? { path: [], added: after.slice(before.length) } : undefined;
  }
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return undefined;
  const keys = Object.keys(before);
  const more = Object.keys(after).length - keys.length;
  if (more < 0 || (more > 0 && !Array.isArray(after))) return undefined;
  const changed = keys.filter((key) => !Object.hasOwn(after, key) || !isSame(at(before, key), at(after, key)));
  const [key] = changed;
  if (key === undefined)
    return Array.isArray(after) ? { path: [], added: (after as Json[]).slice(keys.length) } : undefined;
  if (changed.length > 1 || more > 0 || !Object.hasOwn(after, key)) return undefined;
  const within = findGrowth(at(before, key), at(after, key));
  return within && { path: [Array.isArray(after) ? Number(key) : key, ...within.path], added: within.added };
}

/** Whether two JSON values are equal. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (!isTree(one) || !isTree(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(at(one, key), at(other, key)))
  );
}

type Tree = Readonly<Record<string, Json>>;

function isTree(value: Json | undefined): value is Tree {
  return typeof value === "object" && value !== null;
}

function at(tree: Tree, key: string): Json {
  return tree[key] as Json;
}

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
