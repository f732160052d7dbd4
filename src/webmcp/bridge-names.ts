// What the browser shall call each tool, where browsers take 1 to 128 letters, digits, dots, dashes and underscores only.
import { itemNamePattern } from "../wire/index.ts";

const longest = 128;

/**
 * A name for each of these in their order, such as the browser takes it and nobody else has it. Who has such a name
 * already keeps it, wherever in the order it comes; so nothing that a server adds gives another tool its place.
 */
export function safeNames(wanted: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  const kept = wanted.map((name) => {
    if (!itemNamePattern.test(name) || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
  return kept.map((name, at) => name ?? free(safeName(wanted[at] ?? ""), taken));
}

function safeName(name: string): string {
  const safe = name.replace(/[^\w.-]/gu, "_") || "_";
  if (safe.length <= longest) return safe;
  const hash = `_${shortHash(name)}`;
  return safe.slice(0, longest - hash.length) + hash;
}

function free(name: string, taken: Set<string>): string {
  let next = name;
  for (let count = 2; taken.has(next); count++) {
    const ending = `_${count}`;
    next = name.slice(0, longest - ending.length) + ending;
  }
  taken.add(next);
  return next;
}

/** FNV-1a: names are told apart, nothing is kept secret. */
function shortHash(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}
