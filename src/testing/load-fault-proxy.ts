import type { createFaultProxy as CreateFaultProxy } from "./fault-proxy.ts";

/** Starts a proxy on a free port of 127.0.0.1 that forwards each connection to the target. Needs Node. */
// Loaded on use: the other exports of index.ts run in browsers too.
export const createFaultProxy: typeof CreateFaultProxy = async (options) => {
  const proxy = await import("./fault-proxy.ts");
  return proxy.createFaultProxy(options);
};
