/** One item that several apps may offer under the same name. */
export interface Variant<Item> {
  readonly name: string;
  readonly origin: string;
  readonly app: string;
  readonly item: Item;
}

/**
 * Gives every variant a unique name: its plain name if no other app has it, else `app__name`, else
 * `app__name__` and a few letters derived from its origin and definition. The same variants always get the
 * same names, in any order.
 */
export function tellApart<V extends Variant<object>>(variants: readonly V[]): ReadonlyMap<string, V> {
  const named = new Map<string, V>();
  // An app may choose a plain name that reads like another app's full name; it must not get that name.
  const fullNames = new Set(
    variants.some(({ name }) => name.includes("__"))
      ? variants.flatMap((each) => [appName(each), markedName(each)])
      : [],
  );
  let left = variants;
  for (const nameFor of [plainName, appName, markedName]) {
    const proposals = countBy(left, nameFor);
    const clashing: V[] = [];
    for (const variant of left) {
      const name = nameFor(variant);
      const isTaken = named.has(name) || (nameFor === plainName && fullNames.has(name));
      if (proposals.get(name) === 1 && !isTaken) named.set(name, variant);
      else clashing.push(variant);
    }
    left = clashing;
  }
  return named;
}

const longest = 128;
const plainName = (variant: Variant<object>) => variant.name;
const appName = (variant: Variant<object>) => `${slug(variant.app)}__${variant.name}`.slice(0, longest);
const markedName = (variant: Variant<object>) => {
  const mark = `__${markOf(`${variant.origin}\n${variant.app}\n${variant.name}\n${JSON.stringify(variant.item)}`)}`;
  return appName(variant).slice(0, longest - mark.length) + mark;
};

function countBy<V>(variants: readonly V[], nameFor: (variant: V) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const variant of variants) counts.set(nameFor(variant), (counts.get(nameFor(variant)) ?? 0) + 1);
  return counts;
}

/** An app's name in letters, digits and dashes. */
export function slug(app: string): string {
  return (
    app
      .replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40) || "app"
  );
}

/** FNV-1a over two seeds: enough to distinguish a handful of definitions, and equal in every runtime. */
export function markOf(text: string): string {
  return [0x811c9dc5, 0x01000193]
    .map((seed) => fnv(text, seed).toString(36))
    .join("")
    .slice(0, 8);
}

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
