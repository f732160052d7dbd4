import type { Attributes } from "./credential.ts";

/** Masks the secrets in one argument: user info in URLs, and authorization headers. */
export function maskWord(word: string): string {
  return word
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, "$1***@")
    .replaceAll(/((?:authorization|cookie|token|password|secret)[\w-]*\s*[:=]\s*)\S.*/gi, "$1***");
}

/** Masks each argument, and the whole argument after an option that names a secret. */
export function maskWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (secretOption.test(words[at - 1] ?? "") ? "***" : maskWord(word)));
}

const secretOption = /^--?[\w-]*(token|password|passwd|secret|key)$/i;

/** Attributes that are safe to show. */
const harmless =
  /^(operation|protocol|host|path|username|command|repository|quit|password_expiry_utc|capability\[\]|wwwauth\[\])$/;

/** Attributes for a log: everything that is not known to be harmless is masked. */
export function maskAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, harmless.test(name) ? value : "***"]),
  );
}
