// What a sentence asks to be done, and what it asks not to be done.
import { deedOf, isChange } from "./verbs.ts";
import { stemsOfName } from "./words.ts";
import type { Token } from "./words.ts";

export interface Deeds {
  readonly asked: ReadonlySet<string>;
  /** What the sentence says not to do. */
  readonly denied: ReadonlySet<string>;
}

/** As many characters before a word as are looked at for a denial of it. */
const longestDenial = 60;

const denial = /\b(?:don['’]?t|not|never|without|no need to)\s+(?!forget)(?:[^\s.,;:!?]+\s+){0,2}[\w.-]*$/i;

export function deedsIn(text: string, tokens: readonly Token[]): Deeds {
  const asked = new Set<string>();
  const denied = new Set<string>();
  for (const [at, { text: word, stem, start }] of tokens.entries()) {
    const deed = deedOf(stem) ?? stemsOfName(word).flatMap((part) => deedOf(part) ?? [])[0];
    // `new note`, but not `in New York`.
    if (deed === undefined || (stem === "new" && at > 0)) continue;
    (denial.test(text.slice(Math.max(0, start - longestDenial), start)) ? denied : asked).add(deed);
  }
  return { asked, denied };
}

/** What changes something must be asked for: a word for the deed has to be there, and none that denies it. */
export function mayBeDone(name: readonly string[], { asked, denied }: Deeds): boolean {
  const [deed, ...others] = name.flatMap((stem) => deedOf(stem) ?? []);
  if (deed === undefined || !isChange(deed)) return true;
  if (denied.has(deed)) return false;
  return asked.has(deed) || others.some((other) => asked.has(other) && !isChange(other));
}
