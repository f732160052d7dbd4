export { createFakeClock } from "./fake-clock.ts";
export type { FakeClock } from "./fake-clock.ts";
export { createFaultProxy } from "./load-fault-proxy.ts";
export type { FaultProxy } from "./fault-proxy.ts";
export { linkContract } from "./link-contract.ts";
export type { LinkCapabilities, LinkPair } from "./link-contract.ts";
export { recordLink } from "./record-link.ts";
export type { LinkRecord } from "./record-link.ts";
