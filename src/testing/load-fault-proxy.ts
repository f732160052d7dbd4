import type { createFaultProxy as CreateFaultProxy } from "./fault-proxy.ts";

/** Starts a proxy on a free port of 127.0.0.1 that passes each connection on to the target. Needs Node. */
// Loaded when it is used: what stands beside it in index.ts runs in browsers too.
export const createFaultProxy: typeof CreateFaultProxy = async (options) => {
  const proxy = await import("./fault-proxy.ts");
  return proxy.createFaultProxy(options);
};
