import { PagewireError, messageOf } from "../wire/index.ts";
import type { ErrorCode, Limits } from "../wire/index.ts";
import type { ToolboxLimits } from "./toolbox.ts";

/** The value's name in errors, their code, and the max depth. */
export interface Sending {
  readonly what: string;
  readonly code: ErrorCode;
  readonly deepest: number;
}

/**
 * JSON text of a value. Throws, with the path, where JSON would lose a part of it or it nests too deeply. For small
 * values: `toData` does the same in less than half the time, but is too large for a page's initial download.
 */
export function toJson(value: unknown, { what, code, deepest }: Sending): string {
  const holders: unknown[] = [];
  const path: string[] = [];
  try {
    // JSON itself does the walking, so that getters and toJSON run once.
    const json = JSON.stringify(value, function (this: unknown, key: string, part: unknown) {
      while (holders.length > 0 && holders.at(-1) !== this) holders.pop();
      path[holders.length] = Array.isArray(this) ? `[${key}]` : `.${key}`;
      const reason = holders.includes(part)
        ? "contains itself"
        : holders.length >= deepest
          ? "is nested too deeply"
          : reasonAgainst(part);
      if (reason) throw new TypeError(`$${path.slice(1, holders.length + 1).join("")} ${reason}.`);
      if (typeof part === "object") holders.push(part);
      return part;
    }) as string | undefined;
    return json ?? "null";
  } catch (error) {
    throw new PagewireError(code, `${what} cannot be sent: ${messageOf(error)}`, { cause: error });
  }
}

/** Why JSON would lose this part; undefined if it would not. */
export function reasonAgainst(part: unknown): string | undefined {
  // The fast path for most parts: the checks below are the slowest.
  if (typeof (part ?? "") === "string" || Number.isFinite(part)) return undefined;
  if (typeof part === "number") return `is ${part}`;
  const kind = Object.prototype.toString.call(part).slice(8, -1);
  if (!/^(Object|Array|String|Number|Boolean)$/.test(kind)) return isA(kind);
  const prototype = kind === "Object" && (Object.getPrototypeOf(part) as object | null);
  // An instance of a class may be plain data. One without fields hides its data from JSON.
  return prototype && Object.getPrototypeOf(prototype) !== null && Object.keys(part as object).length === 0
    ? `${isA(prototype.constructor.name)} without fields`
    : undefined;
}

function isA(kind: string): string {
  return `is ${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
}

/** Max depth of any sent value: frames and answers add a few levels. */
export function deepestPart(limits: ToolboxLimits): number {
  return limits.jsonDepth - 4;
}

/** A limit: its name, and the remaining bytes. */
export interface SizeBound {
  readonly limit: keyof Limits;
  readonly most: number;
  readonly code: ErrorCode;
  readonly next?: string;
}

/** Throws if a text has too many UTF-8 bytes. Measures only texts near the limit. */
export function checkSize(what: string, text: string, { limit, most, code, next = "" }: SizeBound): void {
  if (text.length * 3 <= most) return;
  const size = new TextEncoder().encode(text).length;
  if (size > most)
    throw new PagewireError(code, `${what} takes ${size} bytes, and ${most} is the most (limit ${limit}).${next}`);
}
