// Limits as they are written on a command line: tokenTime=12h, frameBytes=4MiB, tabsPerPrincipal=50.
import { defaultLimits } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { usageError, unitTime } from "../common/command.ts";
import type { OptionSpec } from "../common/command.ts";
import { nearest } from "../common/nearest.ts";

/** The option of the commands that take limits. */
export const limitOption = {
  type: "string",
  multiple: true,
  value: "NAME=VALUE",
  summary: "Change a limit, such as tokenTime=12h; see: pagewire help hub.",
} as const satisfies OptionSpec;

export const limitNote =
  "A --limit is one of those in docs/reference/limits.md, by its name. Times take ms, s, m, h, d or w, and milliseconds without; sizes take KiB, MiB or GiB, and bytes without.";

interface Kind {
  readonly called: string;
  readonly units: Readonly<Record<string, number>>;
}

const kinds = {
  time: { called: "a time, such as 30s or 12h", units: { "": 1, ms: 1, ...unitTime } },
  size: { called: "a size, such as 65536 or 4MiB", units: { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } },
  count: { called: "a whole number", units: { "": 1 } },
} as const satisfies Readonly<Record<string, Kind>>;

/** Parses limits; throws with a hint on correct usage. */
export function readLimits(texts: readonly string[]): Partial<Limits> {
  const limits: Partial<Record<string, number>> = {};
  for (const text of texts) {
    const [name = "", value, ...more] = text.split("=");
    if (!Object.hasOwn(defaultLimits, name)) throw unknownLimit(name);
    if (Object.hasOwn(limits, name)) throw usageError(`--limit ${name} is there twice. Give it once.`);
    limits[name] = more.length === 0 ? readValue(name, value ?? "") : Number.NaN;
    if (Number.isNaN(limits[name])) throw usageError(`--limit ${name} must be ${kindOf(name).called}, not "${text}".`);
  }
  return limits;
}

function readValue(name: string, text: string): number {
  const [, digits, unit = ""] = /^(\d{1,15})([A-Za-z]*)$/.exec(text) ?? [];
  const value = Number(digits) * (kindOf(name).units[unit] ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

/** The kind of a limit, by its name. */
function kindOf(name: string): Kind {
  if (/Time|Age|Patience|Pause/.test(name)) return kinds.time;
  return name.toLowerCase().includes("bytes") ? kinds.size : kinds.count;
}

function unknownLimit(name: string): Error {
  const meant = nearest(name, Object.keys(defaultLimits));
  const hint = meant === undefined ? "All of them are in docs/reference/limits.md." : `Did you mean ${meant}?`;
  return usageError(`There is no limit "${name}". ${hint}`);
}
