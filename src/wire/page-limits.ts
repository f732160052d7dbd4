const KIB = 1024;
const MIB = 1024 * KIB;

/** The bounds that a page keeps as well as its hub. They are a part of `defaultLimits`, which has them all. */
export const pageLimits = {
  /** One frame: header and payload together. */
  frameBytes: 16 * MIB,
  /** The header line of a frame. */
  headerBytes: 16 * KIB,
  /** Nesting of any payload that is parsed. */
  jsonDepth: 64,
  /** Tools, resources, resource templates and prompts that one page may offer, together. */
  offersPerPage: 256,
  /** One input or output schema, as JSON. */
  schemaBytes: 64 * KIB,
  /** Bytes waiting in a link for a peer that does not read. */
  queuedBytes: 32 * MIB,
} as const;

/** The bounds of a page in force, by the names of `pageLimits`. */
export type PageLimits = { readonly [Name in keyof typeof pageLimits]: number };
