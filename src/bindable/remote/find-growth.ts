import type { Json } from "../../wire/index.ts";

/** Where a value grew, and what was added there. */
export interface FoundGrowth {
  readonly path: readonly (string | number)[];
  readonly added: string | readonly Json[];
}

/** What was added at one end within a value, when nothing else of it changed. */
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
