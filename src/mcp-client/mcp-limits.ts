import { pageLimits } from "../wire/index.ts";

const { frameBytes, jsonDepth, schemaBytes } = pageLimits;

/** The bounds on a remote server, by name, with their defaults. Sizes are bytes, times milliseconds. */
export const mcpLimits = {
  /** One message of the server, and the parts of one list together. */
  frameBytes,
  /** Nesting of what the server sends. */
  jsonDepth,
  /** One input or output schema, as JSON. */
  schemaBytes,
  /** Tools, resources, resource templates and prompts of one server, together; what is more is left out. */
  offersPerServer: 2000,
  /** Parts in which a server may give one list. */
  pagesPerList: 100,
  /** Resources whose changes are followed. */
  followedResources: 1000,
  /** How long a server may take to answer `server/discover`, before it is asked to `initialize`. */
  discoverTime: 300,
  /** How long connecting may take, and the answer to each list request. */
  connectTime: 30_000,
  /** How long the server may take to say goodbye. */
  farewellTime: 2000,
} as const;

/** The bounds in force, by the names of `mcpLimits`. */
export type McpLimits = { readonly [Name in keyof typeof mcpLimits]: number };
