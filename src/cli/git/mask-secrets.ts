import type { Attributes } from "./credential.ts";

/** A word of a command without what lets somebody in: who signs in within an address, and headers that sign in. */
export function maskWord(word: string): string {
  return word
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, "$1***@")
    .replaceAll(/((?:authorization|cookie|token|password|secret)[\w-]*\s*[:=]\s*)\S.*/gi, "$1***");
}

/** The words of a command, each masked, and whole where the option before it says that it is a secret. */
export function maskWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (secretOption.test(words[at - 1] ?? "") ? "***" : maskWord(word)));
}

const secretOption = /^--?[\w-]*(token|password|passwd|secret|key)$/i;

/** What may be seen by whoever looks over somebody's shoulder. */
const harmless =
  /^(operation|protocol|host|path|username|command|repository|quit|password_expiry_utc|capability\[\]|wwwauth\[\])$/;

/** Attributes for a log: everything that is not known to be harmless is masked. */
export function maskAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, harmless.test(name) ? value : "***"]),
  );
}
