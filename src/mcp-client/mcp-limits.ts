import { pageLimits } from "../wire/index.ts";

const { frameBytes, jsonDepth, schemaBytes } = pageLimits;

/** The limits for a remote server, by name, with their defaults. Sizes are in bytes, times in milliseconds. */
export const mcpLimits = {
  /** The size of one message from the server, and of all pages of one list. */
  frameBytes,
  /** The max nesting of the server's messages. */
  jsonDepth,
  /** The size of one input or output schema, as JSON. */
  schemaBytes,
  /** The number of tools, resources, resource templates and prompts of one server, in all; the rest is left out. */
  offersPerServer: 2000,
  /** The number of pages of one list. */
  pagesPerList: 100,
  /** The number of resources with subscriptions. */
  followedResources: 1000,
  /** The head start of `server/discover`, after which `initialize` is sent beside it. */
  discoverTime: 200,
  /** The timeout of connecting with the first read of the lists, and of each read. */
  connectTime: 30_000,
  /** The timeout of the request that ends a session. */
  farewellTime: 2000,
} as const;

/** The limits in force, by the names of `mcpLimits`. */
export type McpLimits = { readonly [Name in keyof typeof mcpLimits]: number };
