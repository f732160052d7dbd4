import { PagewireError } from "./errors.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The limits that a page applies as well as its hub: a part of `defaultLimits`. */
export const pageLimits = {
  /** One frame: header and payload together. */
  frameBytes: 16 * MIB,
  /** The header line of a frame. */
  headerBytes: 16 * KIB,
  /** Nesting of any parsed payload. */
  jsonDepth: 64,
  /** Tools, resources, resource templates and prompts of one page, together. */
  offersPerPage: 256,
  /** One input or output schema, as JSON. */
  schemaBytes: 64 * KIB,
  /** Bytes queued in a link for a peer that does not read. */
  queuedBytes: 32 * MIB,
} as const;

/** The limits of a page in force, by the names of `pageLimits`. */
export type PageLimits = { readonly [Name in keyof typeof pageLimits]: number };

/** The given limits, and the defaults of the others. Refuses an unknown or invalid limit by its name. */
export function fillInLimits<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  given: Partial<Readonly<Record<Name, number>>> = {},
): Readonly<Record<Name, number>> {
  const limits: Record<Name, number> = { ...defaults };
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined) continue;
    const isKnown = Object.hasOwn(defaults, name);
    if (!isKnown || typeof value !== "number" || !(value >= 0)) {
      const wrong = isKnown ? "must be a number of zero or more" : "is unknown";
      throw new PagewireError("options-invalid", `The limit "${name}" ${wrong}.`);
    }
    limits[name as Name] = value;
  }
  return limits;
}
