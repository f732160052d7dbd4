import { createHash } from "node:crypto";

const longest = 200;

/** Characters that one of the databases would alter: NUL and lone surrogates. */
const unfit = /[\0\p{Surrogate}]/u;

/**
 * The value of a text in a compared or indexed column: the text itself, or its digest if it is long, has characters that
 * PostgreSQL cannot store, or looks like a digest.
 */
export function storedName(text: string): string {
  if (text.length <= longest && !text.startsWith("sha256:") && !unfit.test(text)) return text;
  // As UTF-16, which distinguishes lone surrogates.
  return `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}

/** A text for people to read, with characters replaced that a database cannot store. */
export function fitText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, "\uFFFD");
}
