import { PagewireError } from "../wire/index.ts";
import type { ErrorCode, Limits } from "../wire/index.ts";

/** The bound on a text: its name, and the bytes that are left of it for this. */
export interface SizeBound {
  readonly limit: keyof Limits;
  readonly most: number;
  readonly code: ErrorCode;
  /** What to do about it. */
  readonly next?: string;
}

/** Throws where a text takes more UTF-8 bytes than allowed. Only one near the bound is measured. */
export function checkSize(what: string, text: string, { limit, most, code, next = "" }: SizeBound): void {
  if (text.length * 3 <= most) return;
  const size = new TextEncoder().encode(text).length;
  if (size > most)
    throw new PagewireError(code, `${what} takes ${size} bytes, and ${most} is the most (limit ${limit}).${next}`);
}
