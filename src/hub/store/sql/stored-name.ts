import { createHash } from "node:crypto";

const longest = 200;

/** What one of the databases would change: a zero character, and half of a character. */
const unfit = /[\0\p{Surrogate}]/u;

/**
 * What a text is called in a column that is compared or indexed: itself where both databases can hold it as it is, and its
 * digest where it is long, holds what PostgreSQL cannot, or looks like one.
 */
export function storedName(text: string): string {
  if (text.length <= longest && !text.startsWith("sha256:") && !unfit.test(text)) return text;
  // By UTF-16, in which halves of characters are told apart, too.
  return `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}

/** A text as both databases keep it, for people to read. */
export function fitText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, "\uFFFD");
}
